// Whether what was measured twice, or two ways, differs.
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
  better,   ///< the later takes less: the interval says so, and so does the test, corrected for how many were made
  worse,    ///< it takes more
  same,     ///< the interval lies within 3 % of 1
  unclear,  ///< nothing of that can be told
};

/// The later figures of one kind against the earlier: less is better.
struct sample_difference {
  estimate ratio;           ///< median(later) / median(earlier)
  double significance = 1;  ///< by Mann and Whitney, corrected by Holm
  difference result = difference::unclear;
};

/// What many comparisons made together say.
struct sample_differences {
  std::vector<sample_difference> each;  ///< in the order of the kinds
  change overall;                       ///< of all kinds together
  std::size_t trials_needed = 0;        ///< of each side of a kind: with fewer, so many comparisons can't find anything
};

/// Compares the two sides of each kind. Precondition: none is empty, and no figure is zero or negative.
[[nodiscard]] sample_differences compare_samples(std::span<const then_and_now> kinds);

/// Whether it is surely worse by more than the share `tolerated` (0.05: 5 %): its whole interval lies beyond.
[[nodiscard]] bool surely_worse(const sample_difference& found, double tolerated);

/// "better", "worse", "same", "cannot tell".
[[nodiscard]] std::string_view to_string(difference what);

}  // namespace freshet::tool
