#include "tool/peer/places.hpp"

#include <stdexcept>
#include <system_error>

#include "src/os/environment.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// What an installed command has at `relative` to its own folder; empty where nothing is there.
fs::path installed(const fs::path& relative, const fs::path& proof) {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  fs::path there = (self.parent_path() / relative).lexically_normal();
  return fs::exists(there / proof, none) ? there : fs::path{};
}

}  // namespace

fs::path usual_peers() {
  fs::path there = installed(FRESHET_BIN_TO_PEERS, "common");
  return there.empty() ? fs::path{FRESHET_SOURCE_PEERS} : there;
}

fs::path own_package_directory() {
  fs::path there = installed(FRESHET_BIN_TO_PACKAGES, "freshet.pc");
  if (!there.empty()) return there;
  std::error_code none;
  fs::path built = FRESHET_BUILT_PACKAGES;
  return fs::exists(built / "freshet-uninstalled.pc", none) ? built : fs::path{};
}

fs::path build_cache() {
  // The XDG base directory specification: relative paths are invalid and to be ignored.
  const fs::path cache = detail::os::secure_environment("XDG_CACHE_HOME").value_or("");
  if (cache.is_absolute()) return cache / "freshet" / "peers";
  const fs::path home = detail::os::secure_environment("HOME").value_or("");
  if (home.is_absolute()) return home / ".cache" / "freshet" / "peers";
  throw std::runtime_error{"neither XDG_CACHE_HOME nor HOME says where to build peers"};
}

}  // namespace freshet::tool
