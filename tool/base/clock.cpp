#include "tool/base/clock.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace freshet::tool {

double read_clock(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Only CLOCK_BOOTTIME continues while the machine sleeps.
double read_suspended_seconds() {
  const double awake = read_clock(CLOCK_MONOTONIC);
  return read_clock(CLOCK_BOOTTIME) - awake;
}

std::string format_utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

std::int64_t seconds_since_1970(const std::string& utc) {
  std::tm time = {};
  const char* const time_of_day = strptime(utc.c_str(), "%Y-%m-%d", &time);
  if (time_of_day == nullptr) return 0;
  strptime(time_of_day, "T%H:%M:%S", &time);
  const int day = time.tm_mday;
  const std::int64_t seconds = timegm(&time);
  return time.tm_mday == day ? seconds : 0;  // timegm() takes February 30 for March 2
}

}  // namespace freshet::tool
