// The clock of what is measured while files are written and read.
#pragma once

#include <chrono>

namespace freshet::detail {

/// Seconds since some moment, on a clock that never goes back.
[[nodiscard]] inline double steady_seconds() noexcept {
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

}  // namespace freshet::detail
