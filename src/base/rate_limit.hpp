// Lets a file be read or written no faster than its program wants.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "src/base/pool.hpp"

namespace freshet::detail {

/// Spreads bytes evenly: each piece waits until the one before it has had its time. What was not used is not made up
/// for later.
class rate_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// `rate`: bytes per second; 0: no limit.
  explicit rate_limit(std::uint64_t rate) noexcept : rate_{rate} {}

  [[nodiscard]] explicit operator bool() const noexcept { return rate_ != 0; }

  /// The most bytes for one piece, so that it takes no longer than an eighth of a second: a power of two.
  [[nodiscard]] std::size_t largest_piece() const noexcept {
    return rate_ == 0 ? largest_block
                      : static_cast<std::size_t>(
                            std::bit_floor(std::clamp<std::uint64_t>(rate_ / 8, smallest_block, largest_block)));
  }

  /// Waits for the turn of the next piece.
  void wait() const noexcept {
    if (rate_ != 0) std::this_thread::sleep_until(next_);
  }
  /// Counts a piece of `bytes` bytes.
  void count(std::size_t bytes) noexcept {
    if (rate_ == 0) return;
    const std::chrono::duration<double> takes{static_cast<double>(bytes) / static_cast<double>(rate_)};
    next_ = std::max(next_, clock::now()) + std::chrono::ceil<clock::duration>(takes);
  }

 private:
  std::uint64_t rate_;
  clock::time_point next_{};
};

}  // namespace freshet::detail
