// Where the peers are, and what they are built with and into.
#pragma once

#include <filesystem>

namespace freshet::tool {

/// The peers that this command came with: installed beside it, else those of the source tree that it was built from.
[[nodiscard]] std::filesystem::path usual_peers();

/// Where pkg-config finds the library that this command was built with; empty where that is gone.
[[nodiscard]] std::filesystem::path own_package_directory();

/// $XDG_CACHE_HOME/freshet/peers, or below ~/.cache. @throws std::runtime_error  where neither is known
[[nodiscard]] std::filesystem::path build_cache();

}  // namespace freshet::tool
