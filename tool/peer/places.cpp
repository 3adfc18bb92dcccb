#include "tool/peer/places.hpp"

#include <stdexcept>
#include <system_error>

#include "src/os/environment.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// The path `relative` to this program's folder; empty if it has no `proof` in it.
fs::path find_installed(const fs::path& relative, const fs::path& proof) {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  fs::path path = (self.parent_path() / relative).lexically_normal();
  return fs::exists(path / proof, none) ? path : fs::path{};
}

}  // namespace

fs::path default_peers() {
  fs::path path = find_installed(FRESHET_BIN_TO_PEERS, "common");
  return path.empty() ? fs::path{FRESHET_SOURCE_PEERS} : path;
}

fs::path own_package_directory() {
  fs::path path = find_installed(FRESHET_BIN_TO_PACKAGES, "freshet.pc");
  if (!path.empty()) return path;
  std::error_code none;
  fs::path built = FRESHET_BUILT_PACKAGES;
  return fs::exists(built / "freshet-uninstalled.pc", none) ? built : fs::path{};
}

fs::path build_cache() {
  // The XDG base directory specification says that relative paths are invalid and must be ignored.
  const fs::path cache = detail::os::secure_environment("XDG_CACHE_HOME").value_or("");
  if (cache.is_absolute()) return cache / "freshet" / "peers";
  const fs::path home = detail::os::secure_environment("HOME").value_or("");
  if (home.is_absolute()) return home / ".cache" / "freshet" / "peers";
  throw std::runtime_error{"cannot build peers: neither XDG_CACHE_HOME nor HOME is set"};
}

}  // namespace freshet::tool
