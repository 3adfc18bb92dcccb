// What a filter reads from its inner source, piece by piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>

#include "src/source/source.hpp"

namespace freshet::detail {

/// The bytes of `inner`, from where it stood at first: positions count from there.
class stored_bytes {
 public:
  explicit stored_bytes(source& inner) noexcept : inner_{inner}, start_{inner.offset()} {}

  /// The next bytes, read if none are in memory; none at the end of the file and after an error.
  [[nodiscard]] std::span<const std::byte> next() noexcept {
    if (used_ == inner_.window().size()) {
      used_ = 0;
      inner_.next_window();
    }
    return inner_.window().subspan(used_);
  }
  /// The first `length` bytes of next() were used.
  void use(std::size_t length) noexcept { used_ += length; }

  /// Copies the next bytes; returns how many, fewer only at the end of the file and after an error.
  [[nodiscard]] std::size_t copy(std::span<std::byte> into) noexcept {
    std::size_t length = 0;
    while (length < into.size()) {
      const auto bytes = next();
      const auto piece = bytes.first(std::min(bytes.size(), into.size() - length));
      if (piece.empty()) break;
      std::memcpy(into.data() + length, piece.data(), piece.size());
      use(piece.size());
      length += piece.size();
    }
    return length;
  }

  /// Uses all bytes up to the end of the file, or to the first that is not zero; returns whether there were some and
  /// all were zeros: a killed program leaves them where a method had set the file's size ahead.
  [[nodiscard]] bool are_zeros() noexcept {
    bool are_some = false;
    for (auto bytes = next(); !bytes.empty(); bytes = next()) {
      if (std::ranges::any_of(bytes, [](std::byte each) { return each != std::byte{}; })) return false;
      are_some = true;
      use(bytes.size());
    }
    return are_some && !failure();
  }

  [[nodiscard]] std::uint64_t position() const noexcept { return inner_.offset() + used_ - start_; }
  /// Precondition: the inner source can seek.
  void seek(std::uint64_t position) noexcept {
    inner_.seek(start_ + position);
    used_ = inner_.failure() ? 0 : static_cast<std::size_t>(start_ + position - inner_.offset());
  }

  /// Bytes from the start to the end of the file; 0 where there is no size.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept {
    const std::uint64_t end = inner_.size(failure);
    return end < start_ ? 0 : end - start_;
  }

  /// Bytes at the front of the inner source's window that were used.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::error_code failure() const noexcept { return inner_.failure(); }

 private:
  source& inner_;
  std::uint64_t start_;
  std::size_t used_ = 0;
};

}  // namespace freshet::detail
