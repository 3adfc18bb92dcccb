// The clock of what is measured while files are written and read.
#pragma once

#include <atomic>
#include <chrono>

namespace freshet::detail {

/// Used instead of the system's clock, if it is not null. For tests.
inline constinit std::atomic<double (*)() noexcept> replaced_clock{nullptr};

/// Seconds since some moment, on a clock that never goes back.
[[nodiscard]] inline double steady_seconds() noexcept {
  if (const auto replaced = replaced_clock.load(std::memory_order_relaxed); replaced != nullptr) return replaced();
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

}  // namespace freshet::detail
