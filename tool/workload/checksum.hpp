// A checksum that tells other bytes, and the same bytes in another order, and yet takes less time than memory does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace freshet::tool {

/// Of a stream of bytes, in whatever pieces they come: two sums after Fletcher's, over several columns of words at
/// once, so that no addition waits for the one before it.
class checksum {
 public:
  void add(std::span<const std::byte> bytes) noexcept {
    length_ += bytes.size();
    if (partial_ != 0) bytes = bytes.subspan(complete_row(bytes));
    const std::size_t rows = bytes.size() / row;
    add_rows(bytes.data(), rows);
    bytes = bytes.subspan(rows * row);
    if (bytes.empty()) return;
    std::memcpy(rest_.data(), bytes.data(), bytes.size());
    partial_ = bytes.size();
  }

  /// As a workload writes, so that the sum of what it would write is known without a file.
  void write(std::span<const std::byte> bytes) noexcept { add(bytes); }
  void write(std::string_view text) noexcept { add(std::as_bytes(std::span{text})); }

  /// Of all bytes so far, their number included.
  [[nodiscard]] std::uint64_t value() const noexcept {
    checksum all = *this;
    all.rest_ = {};
    std::memcpy(all.rest_.data(), rest_.data(), partial_);
    all.add_rows(all.rest_.data(), 1);
    std::uint64_t mixed = length_;
    for (std::size_t column = 0; column < columns; ++column) {
      mixed = (mixed ^ all.sums_[column]) * 0x9E3779B97F4A7C15U;
      mixed = (mixed ^ (mixed >> 32) ^ all.weighted_[column]) * 0xBF58476D1CE4E5B9U;
    }
    return mixed ^ (mixed >> 32);
  }

 private:
  static constexpr std::size_t columns = 8;
  static constexpr std::size_t row = columns * sizeof(std::uint64_t);
  using words = std::array<std::uint64_t, columns>;

  // Fills up the row that was begun, as far as `bytes` go; returns how many that took.
  std::size_t complete_row(std::span<const std::byte> bytes) noexcept {
    const std::size_t taken = bytes.size() < row - partial_ ? bytes.size() : row - partial_;
    std::memcpy(rest_.data() + partial_, bytes.data(), taken);
    partial_ += taken;
    if (partial_ == row) {
      add_rows(rest_.data(), 1);
      partial_ = 0;
    }
    return taken;
  }

  void add_rows(const std::byte* from, std::size_t count) noexcept {
    // Copies that the compiler can keep in registers, for nobody else has their address.
    words sums = sums_;
    words weighted = weighted_;
    for (; count != 0; --count, from += row) {
      for (std::size_t column = 0; column < columns; ++column) {
        std::uint64_t next = 0;
        std::memcpy(&next, from + column * sizeof next, sizeof next);
        sums[column] += next;
        // Folded, or the highest bits of words that change places at a power of two apart would be lost.
        weighted[column] += sums[column] ^ (sums[column] >> 32);
      }
    }
    sums_ = sums;
    weighted_ = weighted;
  }

  words sums_{};
  words weighted_{};
  std::array<std::byte, row> rest_{};  // the beginning of a row
  std::size_t partial_ = 0;            // bytes of it
  std::uint64_t length_ = 0;
};

}  // namespace freshet::tool
