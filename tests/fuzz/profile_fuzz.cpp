// Parses arbitrary bytes as a profile. Parsing must not throw, accepted values must be in range, and saving an entry
// into the profile must work.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <freshet/error.hpp>

#include "src/base/pool.hpp"
#include "src/method/registry.hpp"
#include "src/profile/profile_text.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_fit(const freshet::detail::method_entry& method, const freshet::write_settings&) {
  require(method.needs_file);
}
void require_fit(const freshet::detail::method_entry& method, const freshet::read_settings&) {
  require(method.make_reading != nullptr && method.reads_unasked);
}

template <typename Settings>
void require_usable(const Settings& winner) {
  const auto* method = freshet::detail::find_method(winner.method);
  require(method != nullptr);
  require_fit(*method, winner);
  require(winner.block == 0 || (std::has_single_bit(winner.block) && winner.block >= freshet::detail::smallest_block &&
                                winner.block <= freshet::detail::largest_block));
  require(winner.depth <= 64);
}

void require_saves(std::string_view text, const freshet::file_system_profile& entry) {
  try {
    const auto merged = freshet::detail::merge_profile(text, entry, "fuzz");
    if (!merged) return;
    const auto read = freshet::detail::parse_profile(*merged, "fuzz");
    const auto saved = read.file_systems.find(entry.key);
    require(saved != read.file_systems.end() && saved->second.winners == entry.winners);
  } catch (const freshet::error&) {
    // A newer format, which must not be overwritten.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (size > freshet::detail::largest_profile) return 0;

  const auto read = freshet::detail::parse_profile(text, "fuzz");
  for (const auto& [key, entry] : read.file_systems) {
    for (const auto& winner : entry.winners) {
      if (winner) require_usable(*winner);
    }
    if (entry.cold) require_usable(*entry.cold);
    if (entry.warm) require_usable(*entry.warm);
    require_saves(text, entry);
  }
  freshet::file_system_profile fresh;
  fresh.key = "uuid:fuzz";
  fresh.winners[0] = freshet::write_settings{.method = "buffered", .block = 4096};
  require_saves(text, fresh);
  return 0;
}
