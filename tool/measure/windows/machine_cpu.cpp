#include <windows.h>

#include "tool/measure/cpu.hpp"

namespace freshet::tool {
namespace {

double to_seconds(const FILETIME& time) {
  constexpr double of_100_nanoseconds = 1e-7;
  return static_cast<double>((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime) * of_100_nanoseconds;
}

}  // namespace

// The time of the kernel includes that of idle processors. Interrupts, and what a hypervisor took, are not told apart.
machine_cpu read_machine_cpu(const std::filesystem::path& /*proc*/) {
  FILETIME idle{};
  FILETIME kernel{};
  FILETIME user{};
  if (::GetSystemTimes(&idle, &kernel, &user) == 0) return {};
  return {.busy = to_seconds(kernel) + to_seconds(user) - to_seconds(idle)};
}

std::map<int, std::uint64_t> read_kernel_threads() { return {}; }

}  // namespace freshet::tool
