// A method is one way to move blocks into a file; it is all that differs between "write" and "direct + io_uring".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "src/os/file.hpp"
#include "src/pool.hpp"

namespace freshet::detail {

/// What a method is told about its work.
struct method_setup {
  unsigned depth = 1;         ///< blocks in memory, the one being filled included
  bool ordered = true;        ///< one write in flight, so that the file is always a prefix
  bool size_ahead = false;    ///< the file's size may be set before its bytes are there
  bool each_write = false;    ///< each block is to be on the device before the next is accepted
  bool append = false;        ///< writes go to the descriptor's own position, whatever their offset
  bool strict = true;         ///< the user named the method: no quiet replacement for what the file system refuses
  std::uint64_t start = 0;    ///< where in the file the first block will stand
  std::uint64_t reserve = 0;  ///< bytes that the file is expected to have; 0: not known
};

/// A full block on its way: its bytes [begin, end) belong at `offset` in the file. Precondition: begin and offset are
/// equal modulo smallest_block, so that aligned pieces of the file lie in aligned memory.
struct full_block {
  block memory;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t offset = 0;
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::span<const std::byte>{memory.bytes()}.subspan(begin, end - begin);
  }
};

/// Moves blocks into one file. Blocks come in the order of their offsets, without gaps. After an error nothing more is
/// given to it but drain().
class method {
 public:
  method() = default;
  method(const method&) = delete;
  method& operator=(const method&) = delete;
  /// Precondition: drain() was called after the last exchange().
  virtual ~method() = default;

  /// Takes `full` and returns an empty block of at most the same size; may wait until an earlier one is in the file.
  [[nodiscard]] virtual block exchange(full_block full, std::error_code& error) = 0;

  /// Returns when nothing is in flight and the file is as long as completed() says. After an error, only the first.
  virtual void drain(std::error_code& error) { error.clear(); }

  /// Writes `bytes` at `offset` straight out of the caller's memory; false where this method needs its own blocks and
  /// has done nothing.
  [[nodiscard]] virtual bool write_through(std::span<const std::byte> bytes, std::uint64_t offset,
                                           std::error_code& error) {
    static_cast<void>(bytes), static_cast<void>(offset);
    error.clear();
    return false;
  }

  /// Bytes from the file's start (or from where it was opened) that are in the file without a gap.
  [[nodiscard]] virtual std::uint64_t completed() const noexcept = 0;

  /// The name of the method that it had to become; empty where it is itself.
  [[nodiscard]] virtual std::string_view fallen_back_to() const noexcept { return {}; }
};

}  // namespace freshet::detail
