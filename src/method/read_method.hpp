// A way to move blocks out of a file: the reading half of a method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "src/os/file.hpp"
#include "src/pool.hpp"

namespace freshet::detail {

/// What a reading method is told about its work.
struct read_setup {
  std::size_t block = first_block;  ///< bytes: a power of two, at least smallest_block
  unsigned depth = 1;               ///< blocks in memory, the one being read included
  bool at_own_position = false;     ///< reads come from the descriptor's own position, whatever their offset
  bool strict = true;               ///< the user named the method: no quiet replacement for what is refused
};

/// Reads one file, most of the time from front to back. Its blocks come from the pool.
class read_method {
 public:
  read_method() = default;
  read_method(const read_method&) = delete;
  read_method& operator=(const read_method&) = delete;
  virtual ~read_method() = default;

  /// Some bytes from `offset` on, up to the end of a block; none at the end of the file. Valid until the next call.
  [[nodiscard]] virtual std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) = 0;

  /// Reads straight into the caller's memory, as far as one call of the kernel goes, and returns how many bytes that
  /// were, none at the end of the file; nothing where this method needs its own blocks and has done nothing.
  [[nodiscard]] virtual std::optional<std::size_t> read_through(std::span<std::byte> into, std::uint64_t offset,
                                                                std::error_code& error) {
    static_cast<void>(into), static_cast<void>(offset);
    error.clear();
    return std::nullopt;
  }

  /// The name of the method that it had to become; empty where it is itself.
  [[nodiscard]] virtual std::string_view fallen_back_to() const noexcept { return {}; }
};

[[nodiscard]] std::unique_ptr<read_method> make_buffered_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_direct_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_uring_reading(os::file& target, const read_setup& setup);
[[nodiscard]] std::unique_ptr<read_method> make_mmap_reading(os::file& target, const read_setup& setup);

}  // namespace freshet::detail
