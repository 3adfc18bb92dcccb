// Waiting for a device to become idle.
#pragma once

#include <filesystem>
#include <string>

#include "tool/measure/cpu.hpp"

namespace freshet::tool {

/// Makes the file system of `directory` write out all it holds, and waits for it. @throws freshet::error
void write_out(const std::filesystem::path& directory);

/// Makes the file system of `directory` write out all it holds, then waits until its device is idle: nothing in flight
/// and next to nothing written for 50 ms. Measures `idle` meanwhile. Returns false if the device is still busy after
/// `patience` seconds; returns true at once if `device_name` is empty. @throws freshet::error; interrupted
bool wait_until_quiet(const std::filesystem::path& directory, const std::string& device_name, idle_baseline& idle,
                      double patience);

}  // namespace freshet::tool
