// Parses arbitrary bytes as a peer's manifest. An accepted peer must be usable; all other input must be rejected with
// the documented error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <freshet/error.hpp>

#include "lab/peers/peer.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_usable(const freshet::tool::peer& read) {
  require(read.name == "sample" && !read.family.empty() && !read.title.empty());
  require(!read.toolchains.empty() || !read.platform.empty());
  for (const auto& each : read.toolchains) require(!each.run.empty());
  require(!read.workloads.empty());
  require(!read.method.empty());
  for (const auto& each : read.variants)
    require(!each.name.empty() && !each.workloads.empty() && !each.method.empty() &&
            (each.buffer == 0 || read.options.contains("buffer")));
  require(read.buffer == 0 || read.options.contains("buffer"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    require_usable(freshet::tool::parse_peer({reinterpret_cast<const char*>(data), size}, "peers/sample"));
  } catch (const freshet::error&) {
    // Rejected, as documented.
  }
  return 0;
}
