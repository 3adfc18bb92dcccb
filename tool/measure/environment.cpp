#include "tool/measure/environment.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include <freshet/error.hpp>
#include <freshet/version.hpp>

#include "tool/base/place.hpp"
#include "tool/measure/build_description.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// The first line, without the blanks around it; empty where there is no such file.
std::string first_line(const fs::path& path) {
  std::ifstream in{path};
  std::string line;
  std::getline(in, line);
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  line.erase(line.find_last_not_of(" \t") + 1);
  return line;
}

std::string processor_model() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return {};
}

std::uint64_t total_memory() {
  std::ifstream in{"/proc/meminfo"};
  std::string label;
  std::uint64_t kibibytes = 0;
  return in >> label >> kibibytes ? kibibytes << 10 : 0;
}

// "none [mq-deadline] kyber": the one in brackets is at work.
std::string chosen(const std::string& list) {
  const auto from = list.find('[');
  const auto to = list.find(']');
  return from == std::string::npos || to == std::string::npos ? list : list.substr(from + 1, to - from - 1);
}

std::string dirty_settings() {
  constexpr std::array names = {"dirty_ratio",
                                "dirty_background_ratio",
                                "dirty_bytes",
                                "dirty_background_bytes",
                                "dirty_expire_centisecs",
                                "dirty_writeback_centisecs"};
  std::string settings;
  for (const std::string_view name : names) {
    const std::string value = first_line(fs::path{"/proc/sys/vm"} / name);
    if (!value.empty()) settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", name, value);
  }
  return settings;
}

// A partition has no queue and no model of its own: the disk it lies on has.
fs::path disk_of(const std::string& device_name) {
  fs::path device = fs::path{"/sys/class/block"} / device_name;
  std::error_code error;
  if (!fs::exists(device / "partition", error)) return device;
  const fs::path real = fs::canonical(device, error);
  return error ? device : real.parent_path();
}

void describe_device(environment& here) {
  if (here.device.empty()) return;
  const fs::path disk = disk_of(here.device);
  here.device_model = first_line(disk / "device/model");
  here.scheduler = chosen(first_line(disk / "queue/scheduler"));
  here.write_cache = first_line(disk / "queue/write_cache");
}

}  // namespace

environment read_environment(const fs::path& directory) {
  environment here;
  utsname system = {};
  if (uname(&system) == 0) {
    here.machine = fmt::format("{} {}", system.machine, processor_model());
    here.kernel = system.release;
  }
  here.cpus = std::thread::hardware_concurrency();
  here.memory = total_memory();
  here.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  const detail::os::file_system place = file_system_at(directory);
  here.directory = normalize_directory(directory);
  here.file_system_key = place.key;
  here.file_system = place.type;
  here.mount_options = place.mount_options;
  here.device = place.device_name;
  describe_device(here);
  here.dirty_settings = dirty_settings();
  const touch_speeds speeds = measure_first_touch();
  here.first_touch_fresh = speeds.fresh;
  here.first_touch_reused = speeds.reused;
  here.version = version();
  here.build = build_description();
  return here;
}

}  // namespace freshet::tool
