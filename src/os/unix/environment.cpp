#include "src/os/environment.hpp"

#include <sys/utsname.h>

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

}  // namespace freshet::detail::os
