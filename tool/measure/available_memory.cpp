#include <algorithm>

#include "tool/measure/memory.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

// What the memory limits of this process's control groups leave (cgroup v2).
std::uint64_t left_by_control_groups() {
  std::uint64_t left = ~std::uint64_t{0};
  for (const std::filesystem::path& group : find_control_groups("memory")) {
    const auto limit = read_number(group / "memory.max");  // "max" if there is none
    const auto used = read_number(group / "memory.current");
    if (limit && used) left = std::min(left, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *limit - *used)));
  }
  return left;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min(read_labelled("/proc/meminfo", "MemAvailable:").value_or(0), left_by_control_groups());
}

}  // namespace freshet::tool
