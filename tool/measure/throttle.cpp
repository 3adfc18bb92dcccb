#include "tool/measure/throttle.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// 0 where there is no such file, and for -1, which some say for nothing.
std::uint64_t number_in(const fs::path& path) {
  std::int64_t number = 0;
  std::ifstream{path} >> number;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, separator);) words.push_back(std::move(word));
  return words;
}

bool names_cpu(const std::string& list) {
  const auto words = split(list, ',');
  return std::ranges::find(words, "cpu") != words.end();
}

/// A hierarchy of control groups that can have CPU quotas.
struct hierarchy {
  fs::path mount_point;
  std::string root;  ///< the group that is mounted there
  std::string own;   ///< this process's group
};

// "31 23 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu": proc_pid_mountinfo(5).
std::vector<hierarchy> find_hierarchies(const fs::path& proc) {
  std::vector<hierarchy> found;
  std::ifstream mounts{proc / "self/mountinfo"};
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t end = line.find(" - ");
    if (end == std::string::npos) continue;
    const auto mount = split(line.substr(0, end), ' ');
    const auto system = split(line.substr(end + 3), ' ');
    if (mount.size() < 5 || system.size() < 3) continue;
    const bool unified = system[0] == "cgroup2";
    if (!unified && !(system[0] == "cgroup" && names_cpu(system[2]))) continue;
    // "1:cpu,cpuacct:/group", "0::/group": cgroups(7).
    std::ifstream groups{proc / "self/cgroup"};
    for (std::string group; std::getline(groups, group);) {
      const std::size_t first = group.find(':');
      const std::size_t second = group.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = group.substr(first + 1, second - first - 1);
      if (unified ? controllers.empty() : names_cpu(controllers))
        found.push_back({mount[4], mount[3], group.substr(second + 1)});
    }
  }
  return found;
}

// The process's group and those above it, as far as they are mounted.
void add_groups(const hierarchy& all, std::vector<fs::path>& groups) {
  std::string below = all.own;
  if (all.root != "/" && below.starts_with(all.root)) below.erase(0, all.root.size());
  for (fs::path group = fs::path{below}.relative_path(); !group.empty(); group = group.parent_path())
    groups.push_back(all.mount_point / group);
  groups.push_back(all.mount_point);
}

double seconds_withheld(const fs::path& group) {
  std::ifstream in{group / "cpu.stat"};
  std::string label;
  for (double value = 0; in >> label >> value;) {
    if (label == "throttled_usec") return value * 1e-6;  // version 2
    if (label == "throttled_time") return value * 1e-9;  // version 1
  }
  return 0;
}

// What slows a processor down when it, or the machine around it, gets too hot: drivers/acpi/processor_thermal.c,
// drivers/thermal/cpufreq_cooling.c and cpuidle_cooling.c, drivers/thermal/intel/intel_powerclamp.c.
bool slows_processors(const std::string& type) {
  constexpr std::array<std::string_view, 5> beginnings = {"Processor", "cpufreq-", "thermal-cpufreq", "thermal-idle",
                                                          "intel_powerclamp"};
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return type.starts_with(each); });
}

template <typename Add>
void for_each_entry(const fs::path& directory, std::string_view beginning, Add add) {
  std::error_code none;
  for (fs::directory_iterator entry{directory, none}, end; !none && entry != end; entry.increment(none))
    if (entry->path().filename().string().starts_with(beginning)) add(entry->path());
}

}  // namespace

throttle_reader::throttle_reader(fs::path sys, const fs::path& proc) : sys_{std::move(sys)} {
  for (const hierarchy& each : find_hierarchies(proc)) add_groups(each, groups_);
}

throttle_counters throttle_reader::read() const {
  return {.heat_events = heat_events(),
          .cooling_steps = cooling_steps(),
          .quota_seconds = quota_seconds(),
          .suspended_seconds = seconds_suspended()};
}

// Every core of a processor has that processor's events, too: what counts is whether there are more.
std::uint64_t throttle_reader::heat_events() const {
  std::uint64_t all = 0;
  for_each_entry(sys_ / "devices/system/cpu", "cpu", [&](const fs::path& cpu) {
    all += number_in(cpu / "thermal_throttle/core_throttle_count");
    all += number_in(cpu / "thermal_throttle/package_throttle_count");
  });
  return all;
}

std::uint64_t throttle_reader::cooling_steps() const {
  std::uint64_t all = 0;
  for_each_entry(sys_ / "class/thermal", "cooling_device", [&](const fs::path& device) {
    std::string type;
    std::getline(std::ifstream{device / "type"}, type);
    if (slows_processors(type)) all += number_in(device / "cur_state");
  });
  return all;
}

double throttle_reader::quota_seconds() const {
  double all = 0;
  for (const fs::path& group : groups_) all += seconds_withheld(group);
  return all;
}

}  // namespace freshet::tool
