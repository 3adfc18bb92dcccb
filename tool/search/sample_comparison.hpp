// Whether two sets of measurements differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tool/search/significance.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

enum class difference : std::uint8_t {
  better,   ///< the later figures are lower: by the interval, and by the test corrected for the number of comparisons
  worse,    ///< they are higher
  same,     ///< the interval lies within 3 % of 1
  unclear,  ///< none of these can be shown
};

/// The later figures of one kind against the earlier ones; lower is better.
struct sample_difference {
  estimate ratio;           ///< median(later) / median(earlier)
  double significance = 1;  ///< by Mann and Whitney, corrected by Holm
  difference result = difference::unclear;
};

/// The results of many comparisons that were made together.
struct sample_differences {
  std::vector<sample_difference> each;  ///< in the order of the kinds
  change overall;                       ///< of all kinds together
  std::size_t trials_needed = 0;        ///< of each side of a kind: with fewer, so many comparisons can't show anything
};

/// Compares the two sides of each kind. Precondition: none is empty, and all figures are positive.
[[nodiscard]] sample_differences compare_samples(std::span<const sample_pair> kinds);

/// Whether it is certainly worse by more than the share `tolerated` (0.05 is 5 %): its whole interval lies beyond that.
[[nodiscard]] bool surely_worse(const sample_difference& compared, double tolerated);

/// "better", "worse", "same", "cannot tell".
[[nodiscard]] std::string_view to_string(difference result);

}  // namespace freshet::tool
