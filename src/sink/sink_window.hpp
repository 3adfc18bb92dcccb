// The memory in which a program leaves the next bytes of a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace freshet::detail {

/// Memory that is filled from its front, and its place in the file: bytes that were put in and not yet written, then
/// room for more. Without memory it still knows its position, as after an error.
class sink_window {
 public:
  /// The offset in the file of the first byte.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// The offset in the file of the next byte to be put in.
  [[nodiscard]] std::uint64_t position() const noexcept { return offset_ + unwritten_; }

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
  [[nodiscard]] std::span<std::byte> unwritten() const noexcept { return memory_.first(unwritten_); }
  [[nodiscard]] std::span<std::byte> room() const noexcept { return memory_.subspan(unwritten_); }

  /// The bytes up to `cursor` were put in. Without memory nothing was. Precondition: otherwise, `cursor` lies in the
  /// memory, or at its end.
  void fill_to(const std::byte* cursor) noexcept {
    if (cursor != nullptr && !memory_.empty()) unwritten_ = static_cast<std::size_t>(cursor - memory_.data());
  }
  /// The first `length` bytes of room() were put in.
  void advance(std::size_t length) noexcept { unwritten_ += length; }

  /// Shows other memory at the same offset, whose first `unwritten` bytes are still to be written.
  void show(std::span<std::byte> memory, std::size_t unwritten = 0) noexcept {
    memory_ = memory.first(std::min(memory.size(), most_));
    unwritten_ = unwritten;
  }
  /// Shows what `other` shows.
  void follow(const sink_window& other) noexcept {
    offset_ = other.offset_;
    show(other.memory_, other.unwritten_);
  }
  /// From now on no more than `most` bytes are shown.
  void bound(std::size_t most) noexcept {
    most_ = most;
    show(memory_, unwritten_);
  }
  /// Drops the memory; the next byte belongs at `offset`.
  void move_to(std::uint64_t offset) noexcept {
    memory_ = {};
    unwritten_ = 0;
    offset_ = offset;
  }
  /// The next byte belongs at `position`, although nothing was written: others moved it.
  void relocate(std::uint64_t position) noexcept { offset_ = position - unwritten_; }
  /// Drops the memory; the position stays.
  void clear() noexcept { move_to(position()); }

 private:
  std::span<std::byte> memory_;
  std::size_t unwritten_ = 0;
  std::uint64_t offset_ = 0;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace freshet::detail
