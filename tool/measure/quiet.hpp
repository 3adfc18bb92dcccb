// A clean start for every trial: nothing of the last one is left to be written, and memory is of the same kind each
// time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "measure/cpu.hpp"

namespace freshet::tool {

/// Has the file system of `directory` write out all it holds, then waits until its device has nothing to do: nothing in
/// flight and nothing written for 100 ms. The wait teaches `idle`. Returns false when the device is still busy after
/// 10 seconds; at once true where `device_name` is empty. @throws freshet::error; interrupted
bool wait_until_quiet(const std::filesystem::path& directory, const std::string& device_name, idle_baseline& idle);

/// Makes memory that the next `bytes` of the page cache can come from: takes as much from the system, writes to each
/// page and gives it back. Memory that a hypervisor must bring back first is many times slower at its first touch, so
/// that otherwise the order of the trials decided who wins. Takes no more than four fifths of what is free.
void prepare_memory(std::uint64_t bytes);

/// Bytes that programs can still have (MemAvailable); 0 where the system does not say.
[[nodiscard]] std::uint64_t available_memory();

/// MB/s of touching memory new to this process, and of touching as much again right after giving it back.
struct touch_speeds {
  double fresh = 0;
  double reused = 0;
};
[[nodiscard]] touch_speeds measure_first_touch();

}  // namespace freshet::tool
