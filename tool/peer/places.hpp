// Where the peers are, the library that they are built with, and the folder that they are built in.
#pragma once

#include <filesystem>

namespace freshet::tool {

/// The folder of the peers that are installed with this command, else of those in its source tree.
[[nodiscard]] std::filesystem::path default_peers();

/// Where pkg-config finds the library that this command was built with; empty if it no longer exists.
[[nodiscard]] std::filesystem::path own_package_directory();

/// $XDG_CACHE_HOME/freshet/peers, else ~/.cache/freshet/peers. @throws std::runtime_error  if neither is known
[[nodiscard]] std::filesystem::path build_cache();

}  // namespace freshet::tool
