#include "tool/measure/peak_memory.hpp"

#include <malloc.h>

#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "src/pool.hpp"

namespace freshet::tool {
namespace {

// Bytes that /proc/self/status tells by this name; 0 where it does not.
std::uint64_t own_memory(std::string_view name) {
  std::ifstream in{"/proc/self/status"};
  for (std::string label; in >> label; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::uint64_t kibibytes = 0; label == name && in >> kibibytes) return kibibytes << 10;
  return 0;
}

// Whether the count of the peak begins anew, with as little as there is in use.
bool begin_anew() {
  detail::pool::release_idle();
  malloc_trim(0);
  std::ofstream out{"/proc/self/clear_refs"};
  out << "5" << std::flush;  // the peak of the resident set (proc(5))
  return out.good();
}

}  // namespace

peak_memory::peak_memory() : counts_{begin_anew()}, before_{own_memory("VmRSS:")} {}

std::optional<std::uint64_t> peak_memory::bytes() const {
  if (!counts_) return {};
  const std::uint64_t peak = own_memory("VmHWM:");
  return peak > before_ ? peak - before_ : 0;
}

}  // namespace freshet::tool
