#include <sys/utsname.h>

#include <cstdlib>

#include "environment.hpp"

namespace freshet::os {

std::optional<std::string> secure_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  if (value == nullptr) return {};
  return value;
}

std::string kernel_release() {
  utsname system{};
  return ::uname(&system) == 0 ? system.release : "";
}

}  // namespace freshet::os
