// One program against another, in rounds, until it is known whether the first is slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tool/search/candidate.hpp"
#include "tool/search/comparison.hpp"

namespace freshet::tool {

/// A slowdown that a duel must rule out to pass: 15 %, or three times what is tolerated if that is more.
inline constexpr double largest_doubt_of_duel = 0.15;

enum class duel_state : std::uint8_t {
  open,
  worse,  ///< the first is slower by more than what is tolerated
  fine,   ///< it is not slower by more than the largest doubt
};

struct duel {
  comparison against;  ///< the first's seconds against the second's
  duel_state state = duel_state::open;
  /// If it is open: about how many more rounds would settle it, at least 1. Empty if that cannot be estimated.
  std::optional<std::size_t> rounds_to_go = {};
};

/// Judges the rounds so far. `tolerated` is a share: 0.05 is 5 %. Fewer than rounds_to_decide rounds leave it open.
/// Precondition: both have usable trials.
[[nodiscard]] duel judge_duel(const candidate& first, const candidate& second, double tolerated);

[[nodiscard]] std::string_view to_string(duel_state state);

}  // namespace freshet::tool
