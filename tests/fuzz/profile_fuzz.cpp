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

void require_in_range(const freshet::way_figure& figure) {
  constexpr double rounded = 1e-9;
  if (figure == freshet::way_figure{}) return;
  require(figure.seconds_per_byte >= 1e-12 * (1 - rounded) && figure.seconds_per_byte <= 1e-3 * (1 + rounded));
  require(figure.spread >= 0 && figure.spread <= 100);
}

void require_in_range(std::size_t block, unsigned depth) {
  require(block == 0 || (std::has_single_bit(block) && block >= freshet::detail::smallest_block &&
                         block <= freshet::detail::largest_block));
  require(depth <= 64);
}

template <typename Settings>
void require_usable(const Settings& winner) {
  const auto* method = freshet::detail::find_method(winner.method);
  require(method != nullptr);
  require_fit(*method, winner);
  require_in_range(winner.block, winner.depth);
  require_in_range(winner.measured.block, winner.measured.depth);
  for (const auto& figure : {winner.measured.kept, winner.measured.behind, winner.measured.past})
    require_in_range(figure);
}

void require_saves(std::string_view text, const freshet::file_system_profile& entry) {
  try {
    const auto merged = freshet::detail::merge_profile(text, entry, "fuzz");
    if (!merged) return;
    const auto read = freshet::detail::parse_profile(*merged, "fuzz");
    const auto saved = read.file_systems.find(entry.key);
    require(saved != read.file_systems.end() && saved->second.winners == entry.winners &&
            saved->second.cold == entry.cold && saved->second.warm == entry.warm);
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
