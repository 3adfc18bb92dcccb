// One name for each directory.
#pragma once

#include <filesystem>

namespace freshet::tool {

/// The directory, absolute, without what only names the same another way: "." or a slash at its end.
[[nodiscard]] std::filesystem::path plain(const std::filesystem::path& directory);

}  // namespace freshet::tool
