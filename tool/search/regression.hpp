// Whether one side of a comparison is slower than what is tolerated: the rule behind `--fail-if-worse`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tool/base/enum_names.hpp"
#include "tool/search/comparison.hpp"

namespace freshet::tool {

/// What a judgement allows. Shares: 0.05 is 5 %.
struct regression_rules {
  double tolerated = 0;                          ///< a slowdown that is none
  double largest_doubt = 0;                      ///< a slowdown that must be ruled out to pass, if that is more
  std::size_t rounds_needed = rounds_to_decide;  ///< with fewer, nothing is decided
};

enum class regression_state : std::uint8_t {
  open,
  worse,  ///< the first is slower by more than what is tolerated
  fine,   ///< it is not slower by more than the largest doubt
};
template <>
inline constexpr auto enum_names<regression_state> = std::to_array<std::string_view>({"open", "worse", "fine"});

struct regression {
  regression_state state = regression_state::open;
  std::size_t rounds_to_go = 0;  ///< if it is open: about how many more rounds would settle it, at least 1
};

/// Judges the range of `against`, the first's seconds against the second's.
[[nodiscard]] regression judge_regression(const comparison& against, const regression_rules& rules);

}  // namespace freshet::tool
