// One comparison in words: the same rule and the same figures for all tables and sentences.
#pragma once

#include <string>
#include <string_view>

#include "tool/search/comparison.hpp"

namespace freshet::tool {

/// What is said of the first of a comparison, by its result.
struct result_words {
  std::string_view better;
  std::string_view worse;
  std::string_view tie;
  std::string_view likely_better;
  std::string_view likely_worse;
};

/// Of time, "faster" and so on; of CPU time, "cheaper".
[[nodiscard]] const result_words& words_of(metric which);

/// What the first of a comparison is. "faster", "slower": the whole range lies beyond what matters, 5 %, after
/// rounds_to_decide rounds or more; "looks faster", "looks slower": after fewer; "as fast": the whole range lies within
/// what matters, after as many; "cannot tell": anything else. Of CPU time, "cheaper", "costlier" and "as cheap".
[[nodiscard]] std::string_view describe_result(const comparison& against, metric which = metric::ranking);

/// "3.6 x faster (2.5-4.8)", "1.30 x slower (1.12-1.51)", "as fast (0.96-1.03)": how the first compares, the gain or
/// the loss with its range. Without the range if a single round is all there is. Of CPU time: "1.30 x cheaper …".
[[nodiscard]] std::string format_gain(const comparison& against, metric which = metric::ranking);

/// "2980-3200": with three significant digits, for figures of any size.
[[nodiscard]] std::string format_figures(const interval& range);

/// "4", "2.3", "1.18": two digits, or three near 1.
[[nodiscard]] std::string format_times(double times);

}  // namespace freshet::tool
