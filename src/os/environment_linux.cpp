#include <sys/resource.h>
#include <sys/utsname.h>

#include <charconv>
#include <cstdlib>
#include <fstream>

#include "src/os/environment.hpp"
#include "src/os/thread.hpp"

namespace freshet::detail::os {

std::optional<std::string> secure_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  if (value == nullptr) return {};
  return value;
}

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

std::uint64_t interruptions() noexcept {
  rusage used{};
  return ::getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::uint64_t>(used.ru_nivcsw) : 0;
}

std::string boot_id() {
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(in, id);
  return id;
}

}  // namespace freshet::detail::os
