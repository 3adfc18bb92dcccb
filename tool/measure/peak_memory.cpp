#include "tool/measure/peak_memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string_view>

#include "src/pool.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

std::uint64_t read_own_memory(std::string_view label) {
  return read_labelled_bytes("/proc/self/status", label).value_or(0);
}

// Resets the peak to what is in use, after freeing what is not. False if the system does not allow it.
bool reset_peak() {
  detail::pool::release_idle();
  malloc_trim(0);
  std::ofstream out{"/proc/self/clear_refs"};
  out << "5" << std::flush;  // the peak of the resident set (proc(5))
  return out.good();
}

}  // namespace

peak_memory::peak_memory() : counts_{reset_peak()}, before_{read_own_memory("VmRSS:")} {}

std::optional<std::uint64_t> peak_memory::bytes() const {
  if (!counts_) return {};
  const std::uint64_t peak = read_own_memory("VmHWM:");
  return peak > before_ ? peak - before_ : 0;
}

}  // namespace freshet::tool
