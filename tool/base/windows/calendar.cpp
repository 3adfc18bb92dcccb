#include <cstdio>

#include "tool/base/clock.hpp"

namespace freshet::tool {

// The clocks that would tell are as coarse as what they would have to show: a trial's sleep is unknown.
double read_suspended_seconds() { return 0; }

std::int64_t seconds_since_1970(const std::string& utc) {
  namespace chrono = std::chrono;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  if (std::sscanf(utc.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hours, &minutes, &seconds) < 3) return 0;
  const chrono::year_month_day date{chrono::year{year}, chrono::month{month}, chrono::day{day}};
  if (!date.ok()) return 0;
  const chrono::sys_seconds time = chrono::sys_days{date} + chrono::hours{hours} + chrono::minutes{minutes};
  return time.time_since_epoch().count() + seconds;
}

}  // namespace freshet::tool
