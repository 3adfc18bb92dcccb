// The file system that a directory lies on.
#pragma once

#include <filesystem>
#include <string>

#include "src/os/file.hpp"

namespace freshet::tool {

/// @throws freshet::error  where there is no such directory
[[nodiscard]] os::file_system look_at(const std::filesystem::path& directory);

/// Whether files there never are anywhere but in memory, so that none can be read cold.
[[nodiscard]] bool is_in_memory(const os::file_system& place);
/// The same in words. Precondition: is_in_memory(place).
[[nodiscard]] std::string never_cold(const os::file_system& place);

}  // namespace freshet::tool
