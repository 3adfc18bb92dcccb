// The bytes of sealed files. doc/reference/sealed-format.md describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <system_error>

#include "src/filter/crypto.hpp"
#include "src/filter/key_contents.hpp"

namespace freshet::detail {

/// What the sealed bytes are. Sealed files contain these numbers.
enum class sealed_content : std::uint8_t { bytes = 0, zstd = 1 };

/// What stands at the front of a sealed file.
struct sealed_header {
  static constexpr std::size_t length = 88;
  using bytes = std::array<std::byte, length>;
  static constexpr std::size_t salt_length = 32;
  static constexpr std::uint8_t first_version = 1;
  static constexpr std::uint8_t newest_version = 2;

  /// What the header `begin` says of its key. Precondition: it has `length` bytes.
  [[nodiscard]] static key_kind kind_in(std::span<const std::byte> begin) noexcept;

  std::uint8_t version = first_version;
  key_kind kind = key_kind::key;
  unsigned cost = 0;        ///< of the passphrase: the binary logarithm of scrypt's N
  std::size_t segment = 0;  ///< bytes
  sealed_content content = sealed_content::bytes;
  std::array<std::byte, salt_length> salt{};
};

/// The two keys of one file.
struct file_keys {
  secret header;
  secret chunks;
};

/// Why a header was refused; `code` is 0 if it was not.
struct header_problem {
  std::errc code{};
  std::string reason;
};

/// Whether the file begins as sealed files do.
[[nodiscard]] bool has_sealed_magic(std::span<const std::byte> begin) noexcept;

/// Whether `begin`, fewer than the bytes of a header, may be what is there of one.
[[nodiscard]] bool may_become_sealed_header(std::span<const std::byte> begin) noexcept;

/// Makes the header and the keys of a new file, whose salt is random.
[[nodiscard]] header_problem make_header(const key_contents& key, std::size_t segment, sealed_content content,
                                         sealed_header::bytes& into, file_keys& keys);
/// The same with a given salt, for test vectors.
[[nodiscard]] header_problem make_header(const key_contents& key, const sealed_header& header,
                                         sealed_header::bytes& into, file_keys& keys);
/// Reads a header and derives the keys of its file. Nothing of the header is used, except to derive the keys that
/// authenticate it; what that would cost too much is refused before.
[[nodiscard]] header_problem read_header(const sealed_header::bytes& from, const key_contents& key, sealed_header& into,
                                         file_keys& keys);

inline constexpr std::size_t default_segment = std::size_t{64} << 10;
inline constexpr std::size_t smallest_segment = std::size_t{4} << 10;
inline constexpr std::size_t largest_segment = std::size_t{16} << 20;

/// What stands before the ciphertext of a chunk.
struct chunk_head {
  static constexpr std::size_t length = 12;
  using bytes = std::array<std::byte, length>;

  std::uint64_t offset = 0;   ///< of the chunk's first byte in the plain file
  std::uint32_t content = 0;  ///< bytes of the plain file in this chunk
  bool is_last = false;

  [[nodiscard]] bytes encode() const noexcept;
  [[nodiscard]] static chunk_head decode(const bytes& from) noexcept;
};

/// Bytes of a chunk beyond its content.
inline constexpr std::size_t chunk_overhead = chunk_head::length + std::tuple_size_v<cipher_tag>;

/// The nonce of the chunk that begins at `position` in the sealed file. No two chunks of a file begin at the same one.
[[nodiscard]] cipher_nonce nonce_of(std::uint64_t position, bool is_last) noexcept;

/// Where chunks may lie: none crosses the end of a segment.
class segment_layout {
 public:
  explicit segment_layout(std::size_t segment) noexcept : segment_{segment} {}

  [[nodiscard]] std::size_t segment() const noexcept { return segment_; }
  /// Bytes from `position` to the end of its segment.
  [[nodiscard]] std::size_t left(std::uint64_t position) const noexcept {
    return segment_ - static_cast<std::size_t>(position % segment_);
  }
  /// Zeros at `position`, where a chunk ended: a segment's end that cannot hold another chunk of a byte or more.
  [[nodiscard]] std::size_t padding(std::uint64_t position) const noexcept {
    return left(position) > chunk_overhead ? 0 : left(position);
  }
  /// The most bytes that a chunk at `position` can hold.
  [[nodiscard]] std::size_t room(std::uint64_t position) const noexcept { return left(position) - chunk_overhead; }
  /// Where the first chunk of the segment with this number begins.
  [[nodiscard]] std::uint64_t first_chunk(std::uint64_t number) const noexcept {
    return number == 0 ? sealed_header::length : number * segment_;
  }
  /// The first segment that may contain the plain file's byte at `offset`: the one that does, if all chunks are full.
  [[nodiscard]] std::uint64_t first_segment_of(std::uint64_t offset) const noexcept {
    return (offset + sealed_header::length) / (segment_ - chunk_overhead);
  }

 private:
  std::size_t segment_;
};

}  // namespace freshet::detail
