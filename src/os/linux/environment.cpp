#include <cstdlib>
#include <fstream>

#include "src/os/environment.hpp"

namespace freshet::detail::os {

std::optional<std::string> secure_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  if (value == nullptr) return {};
  return value;
}

std::string boot_id() {
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(in, id);
  return id;
}

}  // namespace freshet::detail::os
