#include "tool/measure/environment.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>

#include <freshet/version.hpp>

#include "tool/base/place.hpp"
#include "tool/measure/block_device.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

std::string read_processor_model() {
  const std::string line = find_line("/proc/cpuinfo", "model name").value_or("");  // "\t: Intel(R) Xeon(R)"
  const std::size_t colon = line.find(": ");
  return colon == std::string::npos ? "" : line.substr(colon + 2);
}

std::string read_dirty_settings() {
  constexpr std::array names = {"dirty_ratio",
                                "dirty_background_ratio",
                                "dirty_bytes",
                                "dirty_background_bytes",
                                "dirty_expire_centisecs",
                                "dirty_writeback_centisecs"};
  std::string settings;
  for (const std::string_view name : names) {
    const std::string value = read_first_line(fs::path{"/proc/sys/vm"} / name);
    if (!value.empty()) settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", name, value);
  }
  return settings;
}

void describe_device(environment& env) {
  if (env.device.empty()) return;
  const block_device disk = read_block_device(env.device);
  env.device_model = disk.model;
  env.scheduler = disk.scheduler;
  env.write_cache = disk.write_cache;
}

}  // namespace

environment read_environment(const fs::path& directory) {
  environment env;
  utsname system = {};
  if (uname(&system) == 0) {
    env.machine = fmt::format("{} {}", system.machine, read_processor_model());
    env.kernel = system.release;
  }
  env.cpus = std::thread::hardware_concurrency();
  env.memory = read_labelled("/proc/meminfo", "MemTotal:").value_or(0);
  env.governor = read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  const detail::os::file_system place = file_system_at(directory);
  env.directory = normalize_directory(directory);
  env.file_system_key = place.key;
  env.file_system = place.type;
  env.mount_options = place.mount_options;
  env.device = place.device_name;
  describe_device(env);
  env.dirty_settings = read_dirty_settings();
  const touch_speeds speeds = measure_first_touch();
  env.first_touch_fresh = speeds.fresh;
  env.first_touch_reused = speeds.reused;
  env.version = version();
  env.build = build_description();
  return env;
}

std::string host_name() {
  utsname system = {};
  return uname(&system) == 0 ? system.nodename : "";
}

unsigned processor_count() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace freshet::tool
