#include <windows.h>

#include "tool/measure/memory.hpp"

namespace freshet::tool {

std::uint64_t available_memory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  return ::GlobalMemoryStatusEx(&memory) == 0 ? 0 : memory.ullAvailPhys;
}

}  // namespace freshet::tool
