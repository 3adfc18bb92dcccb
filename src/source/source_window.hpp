// The bytes of a file that are in memory and that a program has not read yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace freshet::detail {

/// Bytes, and their place in the file. Without bytes it still knows its position: after an error, at the end of the
/// file, and before the first byte is read.
class source_window {
 public:
  [[nodiscard]] std::span<const std::byte> unread() const noexcept { return unread_; }
  [[nodiscard]] std::size_t size() const noexcept { return unread_.size(); }
  [[nodiscard]] bool empty() const noexcept { return unread_.empty(); }
  /// The offset in the file of the first unread byte.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// The offset in the file of the byte after the last one.
  [[nodiscard]] std::uint64_t end() const noexcept { return offset_ + unread_.size(); }
  /// Whether a program can go on at `offset` with what is in memory.
  [[nodiscard]] bool reaches(std::uint64_t offset) const noexcept { return offset >= offset_ && offset <= end(); }

  /// The first `length` bytes were read. Precondition: there are as many.
  void take(std::size_t length) noexcept {
    unread_ = unread_.subspan(length);
    offset_ += length;
  }
  /// All bytes were read.
  void take_all() noexcept { take(size()); }

  /// Shows other bytes, the first of which is at offset().
  void show(std::span<const std::byte> bytes) noexcept { unread_ = bytes; }
  /// Drops the bytes; the position stays.
  void clear() noexcept { unread_ = {}; }
  /// Drops the bytes; the next one is at `offset`.
  void move_to(std::uint64_t offset) noexcept {
    unread_ = {};
    offset_ = offset;
  }

 private:
  std::span<const std::byte> unread_;
  std::uint64_t offset_ = 0;
};

}  // namespace freshet::detail
