// One way to read blocks from a file: the reading half of a method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "src/base/pool.hpp"
#include "src/method/change_log.hpp"
#include "src/method/prior.hpp"
#include "src/os/file.hpp"

namespace freshet::detail {

struct method_entry;

/// A method that `adaptive` reads by.
struct read_choice {
  const method_entry* entry = nullptr;  ///< null: it chooses for itself
  std::size_t block = 0;                ///< bytes; 0: as the method likes it
  unsigned depth = 0;                   ///< 0: as the method likes it
};

/// The options of a reading method.
struct read_setup {
  std::size_t block = small_file;     ///< bytes: a power of two, at least smallest_block
  unsigned depth = 1;                 ///< blocks in memory, the one being read included
  bool at_own_position = false;       ///< reads use the descriptor's own position and ignore their offset
  bool strict = true;                 ///< the user named the method: do not fall back silently when it is refused
  bool descriptor_is_direct = false;  ///< it was opened with O_DIRECT, which must stay: only aligned reads work
  bool beside_direct = false;         ///< another method reads the same open file directly
  std::uint64_t size = 0;             ///< for `adaptive`: of the file, in bytes
  read_choice cold = {};              ///< for `adaptive`: the profile's method for what the page cache does not hold
  read_choice warm = {};              ///< for `adaptive`: for what it holds
  prior_setup prior = {};             ///< for `adaptive`
};

/// Reads one file, usually from front to back. Its blocks come from the pool.
class read_method {
 public:
  read_method() = default;
  read_method(const read_method&) = delete;
  read_method& operator=(const read_method&) = delete;
  virtual ~read_method() = default;

  /// Returns some bytes from `offset` on, up to the end of a block; none at the end of the file. Valid until the next
  /// call.
  [[nodiscard]] virtual std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept = 0;

  /// Reads directly into the caller's memory with one system call; returns how many bytes it read, 0 at the end of the
  /// file. Returns nothing, having done nothing, if this method needs its own blocks.
  [[nodiscard]] virtual std::optional<std::size_t> read_unbuffered(std::span<std::byte> into, std::uint64_t offset,
                                                                   std::error_code& error) noexcept {
    static_cast<void>(into), static_cast<void>(offset);
    error.clear();
    return std::nullopt;
  }

  /// The next calls of read() return nothing from `end` on.
  virtual void limit(std::uint64_t end) noexcept { static_cast<void>(end); }

  /// The next call of read() returns what the file then has: forgets what was read ahead.
  virtual void forget() noexcept {}

  /// The method that it uses for now; null if that is always itself.
  [[nodiscard]] virtual const method_entry* at_work() const noexcept { return nullptr; }
  /// Its changes so far; null if it makes none.
  [[nodiscard]] virtual const change_log* changes() const noexcept { return nullptr; }

  /// The name of the method that it fell back to; empty if it did not.
  [[nodiscard]] virtual std::string_view fallen_back_to() const noexcept { return {}; }
};

[[nodiscard]] std::unique_ptr<read_method> make_buffered_reading(os::file& target, const read_setup& setup);
/// Like make_buffered_reading(), but pieces of 8 MiB leave the page cache after they were read, unless it held half of
/// them before.
[[nodiscard]] std::unique_ptr<read_method> make_dropping_reading(os::file& source, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_direct_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_uring_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_overlapped_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_mmap_reading(os::file& target, const read_setup& setup);
/// Changes between the page cache and direct I/O.
[[nodiscard]] std::unique_ptr<read_method> make_adaptive_reading(os::file& target, const read_setup& setup);
/// Bytes from which on a file is worth being read so.
inline constexpr std::uint64_t worth_adapting = std::uint64_t{16} << 20;

}  // namespace freshet::detail
