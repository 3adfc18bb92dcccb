#include "tool/measure/clock.hpp"

#include <fmt/chrono.h>

namespace freshet::tool {

double seconds_of(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Only CLOCK_BOOTTIME goes on while the machine sleeps.
double seconds_suspended() {
  const double awake = seconds_of(CLOCK_MONOTONIC);
  return seconds_of(CLOCK_BOOTTIME) - awake;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())); }

}  // namespace freshet::tool
