// Time that passes, and the time of day.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace freshet::tool {

/// Runs from its making on.
class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>{std::chrono::steady_clock::now() - start_}.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What the clock shows, in seconds; CLOCK_PROCESS_CPUTIME_ID and the like: clock_gettime(2).
[[nodiscard]] double seconds_of(clockid_t clock);

/// Seconds since boot that the machine was suspended: a stopwatch stands still then.
[[nodiscard]] double seconds_suspended();

/// Now, as "2026-03-01T12:34:56Z".
[[nodiscard]] std::string utc_now();

/// Seconds since 1970 of "2026-03-01T12:34:56Z", whose time of day may be missing; 0 if `utc` is not a time.
[[nodiscard]] std::int64_t seconds_since_1970(const std::string& utc);

}  // namespace freshet::tool
