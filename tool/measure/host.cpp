#include "tool/measure/host.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <thread>

namespace freshet::tool {

std::string host_name() {
  utsname system = {};
  return uname(&system) == 0 ? system.nodename : "";
}

unsigned processor_count() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace freshet::tool
