// What clock.hpp has of the system's calendar, and of its sleep.
#include "tool/base/clock.hpp"

#include <ctime>

namespace freshet::tool {

// Only CLOCK_BOOTTIME continues while the machine sleeps.
double read_suspended_seconds() {
  const double awake = read_clock(CLOCK_MONOTONIC);
  return read_clock(CLOCK_BOOTTIME) - awake;
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
