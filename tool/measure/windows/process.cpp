#include "tool/measure/process.hpp"

#include <windows.h>

#include <psapi.h>

namespace freshet::tool {

// Switches between threads are not counted per process.
process_counters read_process_counters() {
  process_counters counters;
  IO_COUNTERS calls{};
  if (::GetProcessIoCounters(::GetCurrentProcess(), &calls) != 0) counters.write_calls = calls.WriteOperationCount;
  PROCESS_MEMORY_COUNTERS memory{};
  if (::K32GetProcessMemoryInfo(::GetCurrentProcess(), &memory, sizeof memory) != 0)
    counters.faults_minor = memory.PageFaultCount;
  return counters;
}

// Nothing that runs here starts processes and measures them.
process_counters read_process_counters(int /*pid*/) { return {}; }

double read_cpu_seconds(int /*pid*/) { return 0; }

// No process may reset its own peak.
peak_memory::peak_memory() : counts_{false}, before_{0} {}

std::optional<std::uint64_t> peak_memory::bytes() const { return {}; }

}  // namespace freshet::tool
