#include "tool/measure/clock.hpp"

#include <fmt/chrono.h>

#include <cstdio>

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
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  using std::chrono::sys_days;
  int year_number = 0;
  unsigned month_number = 0;
  unsigned day_number = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const int parsed = std::sscanf(utc.c_str(), "%d-%2u-%2uT%2d:%2d:%2d", &year_number, &month_number, &day_number, &hour,
                                 &minute, &second);
  const std::chrono::year_month_day date{std::chrono::year{year_number}, std::chrono::month{month_number},
                                         std::chrono::day{day_number}};
  if (parsed < 3 || !date.ok()) return 0;
  const auto since = sys_days{date}.time_since_epoch() + hours{hour} + minutes{minute} + seconds{second};
  return std::chrono::duration_cast<seconds>(since).count();
}

}  // namespace freshet::tool
