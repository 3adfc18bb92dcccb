// Reads the clock once where an exchange begins and once where it ends, for all who want to know how long it took.
#pragma once

#include <cstdint>

#include "src/base/block_observer.hpp"
#include "src/method/steady_seconds.hpp"

namespace freshet::detail {

/// Times the exchange of some bytes between a program and its file, from the construction on. Reads no clock unless
/// there is an observer, or someone asks; whoever asks later is told what was read then.
class exchange_timer {
 public:
  exchange_timer() noexcept : observer_{current_block_observer.load(std::memory_order_acquire)} {
    if (observer_ != nullptr) [[unlikely]]
      begin_ = steady_seconds();
  }

  /// When it began, or now, in seconds of steady_seconds().
  double begin() noexcept { return first_reading(begin_); }
  /// When it ended, or now.
  double end() noexcept { return first_reading(end_); }
  /// How long it took.
  double seconds() noexcept {
    const double since = begin();
    return end() - since;
  }
  /// What the program has waited for was not the exchange: that begins now.
  void restart() noexcept {
    if (begin_ != unread) begin_ = steady_seconds();
  }
  /// For the observer, it has not ended yet: the program also waits for what follows.
  void go_on() noexcept { end_ = unread; }

  /// Tells the observer that `bytes` bytes were exchanged, unless there are none.
  void finish(std::uint64_t bytes) noexcept {
    if (observer_ != nullptr && bytes != 0) [[unlikely]]
      observer_->moved(begin_, end(), bytes);
  }

 private:
  static constexpr double unread = -1;

  static double first_reading(double& moment) noexcept {
    if (moment == unread) moment = steady_seconds();
    return moment;
  }

  block_observer* observer_;
  double begin_ = unread;
  double end_ = unread;
};

}  // namespace freshet::detail
