#include "src/os/environment.hpp"

#include <sys/utsname.h>

#include <charconv>

namespace freshet::detail::os {

std::filesystem::path user_settings() {
  // By the XDG base directory specification, relative paths are invalid and ignored.
  std::filesystem::path config = secure_environment("XDG_CONFIG_HOME").value_or("");
  if (config.is_absolute()) return config;
  const std::filesystem::path home = secure_environment("HOME").value_or("");
  return home.is_absolute() ? home / ".config" : std::filesystem::path{};
}

std::filesystem::path system_settings() { return "/etc/xdg"; }

std::string kernel_release() {
  utsname system{};
  return ::uname(&system) == 0 ? system.release : "";
}

bool is_release_at_least(std::string_view release, unsigned major, unsigned minor) noexcept {
  unsigned first = 0;
  unsigned second = 0;
  const char* const end = release.data() + release.size();
  const auto dot = std::from_chars(release.data(), end, first);
  if (dot.ec != std::errc{} || dot.ptr == end || *dot.ptr != '.') return false;
  if (std::from_chars(dot.ptr + 1, end, second).ec != std::errc{}) return false;
  return first != major ? first > major : second >= minor;
}

}  // namespace freshet::detail::os
