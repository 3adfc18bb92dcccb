// Time that passes, and the time of day.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace freshet::tool {

/// Runs from its construction on.
class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>{std::chrono::steady_clock::now() - start_}.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Reads one of the clocks of clock_gettime(2), such as CLOCK_PROCESS_CPUTIME_ID, in seconds.
[[nodiscard]] double read_clock(clockid_t clock);

/// Seconds since boot during which the machine was suspended; a stopwatch does not count them.
[[nodiscard]] double read_suspended_seconds();

/// Now, as "2026-03-01T12:34:56Z".
[[nodiscard]] std::string format_utc_now();

/// Seconds since 1970 of "2026-03-01T12:34:56Z", whose time of day may be missing; 0 if `utc` is not a time.
[[nodiscard]] std::int64_t seconds_since_1970(const std::string& utc);

}  // namespace freshet::tool
