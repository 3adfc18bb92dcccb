#include "tool/measure/throttle.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// 0 also for -1, which some files use for nothing.
std::uint64_t read_count(const fs::path& path) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(read_number(path).value_or(0), 0));
}

double read_withheld_seconds(const fs::path& group) {
  if (const auto microseconds = read_labelled(group / "cpu.stat", "throttled_usec"))  // version 2
    return static_cast<double>(*microseconds) * 1e-6;
  const auto nanoseconds = read_labelled(group / "cpu.stat", "throttled_time");  // version 1
  return static_cast<double>(nanoseconds.value_or(0)) * 1e-9;
}

// The cooling devices that slow processors down when they, or the machine around them, get too hot:
// drivers/acpi/processor_thermal.c, drivers/thermal/cpufreq_cooling.c and cpuidle_cooling.c,
// drivers/thermal/intel/intel_powerclamp.c.
bool slows_processors(const std::string& type) {
  constexpr std::array<std::string_view, 5> beginnings = {"Processor", "cpufreq-", "thermal-cpufreq", "thermal-idle",
                                                          "intel_powerclamp"};
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return type.starts_with(each); });
}

}  // namespace

throttle_reader::throttle_reader(fs::path sys, const fs::path& proc)
    : sys_{std::move(sys)}, groups_{find_control_groups("cpu", proc)} {}

throttle_counters throttle_reader::read() const {
  return {.heat_events = heat_events(),
          .cooling_steps = cooling_steps(),
          .quota_seconds = quota_seconds(),
          .suspended_seconds = read_suspended_seconds()};
}

// Each core also counts the events of its processor. Only an increase matters.
std::uint64_t throttle_reader::heat_events() const {
  std::uint64_t all = 0;
  for (const fs::path& cpu : list_entries(sys_ / "devices/system/cpu")) {
    all += read_count(cpu / "thermal_throttle/core_throttle_count");
    all += read_count(cpu / "thermal_throttle/package_throttle_count");
  }
  return all;
}

std::uint64_t throttle_reader::cooling_steps() const {
  std::uint64_t all = 0;
  for (const fs::path& device : list_entries(sys_ / "class/thermal"))
    if (device.filename().string().starts_with("cooling_device") && slows_processors(read_first_line(device / "type")))
      all += read_count(device / "cur_state");
  return all;
}

double throttle_reader::quota_seconds() const {
  double all = 0;
  for (const fs::path& group : groups_) all += read_withheld_seconds(group);
  return all;
}

}  // namespace freshet::tool
