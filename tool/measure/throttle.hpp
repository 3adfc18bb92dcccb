// What held up a program that was ready to run: slower clocks, quotas, sleep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace freshet::tool {

/// Counters since boot unless stated otherwise; 0 if the system does not count.
struct throttle_counters {
  /// How often a core or processor was thermally throttled (x86: thermal_throttle).
  std::uint64_t heat_events = 0;
  /// The sum of the current steps of all cooling devices that slow processors down.
  std::uint64_t cooling_steps = 0;
  /// CPU seconds that the quotas of this process's control groups withheld (cgroup v1 and v2).
  double quota_seconds = 0;
  /// Seconds that the machine was suspended.
  double suspended_seconds = 0;
};

class throttle_reader {
 public:
  /// Finds the files to read. `sys` and `proc` are where sysfs and procfs are mounted.
  explicit throttle_reader(std::filesystem::path sys = "/sys", const std::filesystem::path& proc = "/proc");
  [[nodiscard]] throttle_counters read() const;

 private:
  [[nodiscard]] std::uint64_t heat_events() const;
  [[nodiscard]] std::uint64_t cooling_steps() const;
  [[nodiscard]] double quota_seconds() const;

  std::filesystem::path sys_;
  std::vector<std::filesystem::path> groups_;  // this process's own and those above them
};

}  // namespace freshet::tool
