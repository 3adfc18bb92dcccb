#include "src/os/environment.hpp"

#include <unistd.h>

#include <cstdlib>

namespace freshet::detail::os {

std::optional<std::string> secure_environment(const char* name) {
  const bool has_more_rights = ::geteuid() != ::getuid() || ::getegid() != ::getgid();
  const char* const value = has_more_rights ? nullptr : std::getenv(name);
  if (value == nullptr) return {};
  return value;
}

std::string boot_id() { return {}; }

}  // namespace freshet::detail::os
