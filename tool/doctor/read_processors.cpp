#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tool/base/place.hpp"
#include "tool/doctor/reading.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr double kilohertz_per_gigahertz = 1e6;

// "cpu0", "cpu11", but not "cpufreq".
bool is_processor(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         std::ranges::all_of(name.substr(3), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<fs::path> list_processors(const fs::path& sys) {
  std::vector<fs::path> all = list_entries(sys / "devices/system/cpu");
  std::erase_if(all, [](const fs::path& each) {
    // The first processor often has no such file, because it cannot be switched off.
    return !is_processor(each.filename()) || read_number(each / "online").value_or(1) == 0;
  });
  std::ranges::sort(all);
  return all;
}

void read_frequency(const fs::path& processor, processor_facts& facts) {
  const fs::path settings = processor / "cpufreq";
  const std::string governor = read_first_line(settings / "scaling_governor");
  if (governor.empty()) return;
  ++facts.governors[governor];
  if (facts.governor_file.empty() && governor != "performance") facts.governor_file = settings / "scaling_governor";
  facts.frequency_driver = read_first_line(settings / "scaling_driver");
  const auto allowed = read_number(settings / "scaling_max_freq");
  const auto possible = read_number(settings / "cpuinfo_max_freq");
  if (!allowed || !possible || *allowed >= *possible) return;
  const double gigahertz = static_cast<double>(*allowed) / kilohertz_per_gigahertz;
  if (facts.limit && facts.limit->allowed <= gigahertz) return;
  facts.limit = {gigahertz, static_cast<double>(*possible) / kilohertz_per_gigahertz, settings / "scaling_max_freq"};
}

bool runs_in_virtual_machine(const fs::path& proc) {
  return (find_line(proc / "cpuinfo", "flags").value_or("") + ' ').find(" hypervisor ") != std::string::npos;
}

// "150000 100000" in cpu.max (version 2); cpu.cfs_quota_us and cpu.cfs_period_us (version 1): a quota of processor time
// in each period, both in microseconds.
std::optional<sourced<double>> read_quota(const fs::path& group) {
  std::istringstream version_2{read_first_line(group / "cpu.max")};
  double quota = 0;
  double period = 0;
  if (version_2 >> quota >> period && period > 0) return sourced<double>{quota / period, group / "cpu.max"};
  const auto version_1 = read_number(group / "cpu.cfs_quota_us");
  const auto length = read_number(group / "cpu.cfs_period_us");
  if (!version_1 || !length || *version_1 <= 0 || *length <= 0) return {};  // -1: no quota
  return sourced<double>{static_cast<double>(*version_1) / static_cast<double>(*length), group / "cpu.cfs_quota_us"};
}

std::optional<sourced<double>> lowest_quota(const fs::path& proc) {
  std::optional<sourced<double>> lowest;
  for (const fs::path& group : find_control_groups("cpu", proc))
    if (auto quota = read_quota(group); quota && (!lowest || quota->value < lowest->value)) lowest = std::move(quota);
  return lowest;
}

}  // namespace

processor_facts read_processors(const system_roots& roots, unseen_facts& unseen) {
  processor_facts facts;
  facts.in_virtual_machine = runs_in_virtual_machine(roots.proc);
  const std::vector<fs::path> processors = list_processors(roots.sys);
  facts.count = static_cast<unsigned>(processors.size());
  for (const fs::path& each : processors) read_frequency(each, facts);
  if (facts.governors.empty())
    unseen.push_back(
        {"the processors' frequency",
         fmt::format("{} has no cpufreq{}", (roots.sys / "devices/system/cpu").string(),
                     facts.in_virtual_machine ? "; in a virtual machine, its host sets the frequency" : "")});
  facts.throttled = throttle_reader{roots.sys, roots.proc}.read();
  facts.quota = lowest_quota(roots.proc);
  const machine_cpu since_boot = read_machine_cpu(roots.proc);
  if (const double wanted = since_boot.busy + since_boot.stolen; wanted > 0)
    facts.stolen_since_boot = since_boot.stolen / wanted;
  else
    unseen.push_back({"other processes and stolen time", why_unreadable(roots.proc / "stat")});
  return facts;
}

}  // namespace freshet::tool
