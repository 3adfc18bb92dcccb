// A clean start for every trial: nothing of the last one is left to be written.
#pragma once

#include <filesystem>
#include <string>

#include "tool/measure/cpu.hpp"

namespace freshet::tool {

/// Has the file system of `directory` write out all it holds, and waits for it. @throws freshet::error
void write_out(const std::filesystem::path& directory);

/// Has the file system of `directory` write out all it holds, then waits until its device has nothing to do: nothing in
/// flight and next to nothing written for 100 ms. The wait teaches `idle`. Returns false when the device is still busy
/// after 3 seconds; at once true where `device_name` is empty. @throws freshet::error; interrupted
bool wait_until_quiet(const std::filesystem::path& directory, const std::string& device_name, idle_baseline& idle);

}  // namespace freshet::tool
