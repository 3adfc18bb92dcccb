/// @file
/// freshet::encryption_key, with which writers seal files and readers open sealed ones.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <freshet/detail/export.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

namespace detail {
struct key_contents;
}

/// What a sealed file is encrypted with: a key of 32 bytes, or a passphrase. Its memory is wiped when the object ends.
/// Copies of the memory that the system makes (swap, core dumps) are not. Several threads may use one object at the
/// same time.
class FRESHET_API encryption_key {
 public:
  /// Bytes of a key.
  static constexpr std::size_t size = 32;
  /// The default `cost` of a passphrase: 128 MiB and about half a second for each file that is opened.
  static constexpr unsigned default_cost = 17;
  /// The largest `cost`, which readers accept: 256 MiB and about a second.
  static constexpr unsigned largest_cost = 18;

  /// Copies a key. Its bytes must be random, as those of /dev/urandom: use from_passphrase() for what people choose.
  explicit encryption_key(std::span<const std::byte, size> bytes);
  /// Reads a key from a file that holds exactly its 32 bytes.
  /// @throws freshet::error  if the file cannot be read, or is shorter or longer (errc::invalid_argument)
  [[nodiscard]] static encryption_key from_file(const path_argument& path);
  /// Copies a passphrase. Each file gets a key of its own that is derived from it by scrypt (RFC 7914, r = 8, p = 1),
  /// which takes the memory and the time of the `cost` at each opening; with many files, use a key instead.
  /// @param passphrase  any bytes, at least one
  /// @param cost        the binary logarithm of scrypt's N: 10 to largest_cost. It applies to files that are written;
  ///                    sealed files name their own. Default: default_cost
  /// @throws freshet::error  errc::invalid_argument if the passphrase is empty, or the cost is out of its range
  [[nodiscard]] static encryption_key from_passphrase(std::string_view passphrase, unsigned cost = default_cost);

  /// Takes over the key of `other`, which is empty afterwards: opening a file with it fails.
  encryption_key(encryption_key&& other) noexcept : contents_{std::exchange(other.contents_, nullptr)} {}
  /// Wipes this key and takes over that of `other`, which is empty afterwards.
  encryption_key& operator=(encryption_key&& other) noexcept;
  encryption_key(const encryption_key&) = delete;
  encryption_key& operator=(const encryption_key&) = delete;
  /// Wipes the key.
  ~encryption_key();

  /// For the library: the key itself; null if it was moved from.
  [[nodiscard]] const detail::key_contents* contents() const noexcept { return contents_; }

 private:
  explicit encryption_key(detail::key_contents* contents) noexcept : contents_{contents} {}

  detail::key_contents* contents_;
};

}  // namespace freshet
