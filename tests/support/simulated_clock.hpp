// A clock that only a test moves, for files that adapt to how long their calls take.
#pragma once

#include <atomic>

#include "src/method/steady_seconds.hpp"

namespace freshet::test {

/// While it exists, the library measures by it. One at a time.
class simulated_clock {
 public:
  simulated_clock() {
    seconds_ = 1;
    detail::replaced_clock = []() noexcept { return seconds_.load(); };
  }
  simulated_clock(const simulated_clock&) = delete;
  simulated_clock& operator=(const simulated_clock&) = delete;
  ~simulated_clock() { detail::replaced_clock = nullptr; }

  [[nodiscard]] static double now() noexcept { return seconds_; }
  /// May be called by several threads at once.
  static void advance(double seconds) noexcept {
    double before = seconds_;
    while (!seconds_.compare_exchange_weak(before, before + seconds)) {
    }
  }

 private:
  static inline std::atomic<double> seconds_{0};
};

}  // namespace freshet::test
