// How likely chance alone would show what was measured: tests of two samples, of trends, and of many things at once.
// Whether two sets of measurements differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// The result of a test by ranks.
struct rank_test {
  double statistic = 0;
  double significance = 1;  ///< the probability of so clear a statistic, to either side, by chance alone (p)
};

/// Tests whether the values of one sample are mostly above those of the other. The statistic is U of the first: the
/// number of pairs in which it is above, equal ones counted half. Exact if no values are equal and one sample has at
/// most eight; otherwise by the normal distribution, corrected for ties and for continuity, like
/// scipy.stats.mannwhitneyu. The default result if a sample is empty. Source: Mann and Whitney (1947).
[[nodiscard]] rank_test mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns the median of first / second over all pairs of figures that were not measured side by side, and the interval
/// of such ratios that Mann and Whitney's test would not refute. Its count is that of the smaller sample. Precondition:
/// neither is empty, and all figures are positive. Source: Hollander and Wolfe, Nonparametric Statistical Methods
/// (1999), 4.3.
[[nodiscard]] estimate estimate_ratio(std::span<const double> first, std::span<const double> second);

/// Tests whether one figure rises with the other. The statistic is the correlation of their ranks, -1 … 1. Uses
/// Student's distribution, which is too sensitive for fewer than ten values, like scipy.stats.spearmanr. The default
/// result for fewer than three values, or if all values of one are equal. Precondition: both have the same size.
/// Source: Spearman (1904).
[[nodiscard]] rank_test spearman(std::span<const double> one, std::span<const double> other);

/// Corrects the significances of tests that were made together: each is raised so that the probability of any false
/// finding stays what it would be for a single test. Source: Holm (1979).
[[nodiscard]] std::vector<double> holm(std::span<const double> significances);

/// "p = 0.012", "p < 0.001".
[[nodiscard]] std::string format_p_value(double significance);

/// Tests whether the first of each pair is mostly above the second. The statistic is the number of pairs in which it
/// is; pairs of equal figures are left out. Exact. The default result without pairs. Source: Conover, Practical
/// Nonparametric Statistics (1999), 3.4.
[[nodiscard]] rank_test sign_test(std::span<const pairing> pairs);

/// Figures of one kind, from an earlier and from a later time, or of two sides.
struct sample_pair {
  std::vector<double> earlier;
  std::vector<double> later;
  std::vector<pairing> rounds = {};  ///< later and earlier, measured in the same round; empty if they were not
  [[nodiscard]] bool is_paired() const noexcept { return rounds.size() > 1; }
};

/// How figures changed from the earlier time to the later.
struct change {
  double ratio = 1;         ///< the median of later / earlier, over all pairs of a kind (Hodges and Lehmann)
  double significance = 1;  ///< the probability of so clear a change by chance (Mann and Whitney, two-sided)
};

/// Returns the common change of several kinds of figures, each of which is compared only with its own kind. Kinds
/// without an earlier or a later figure are ignored. Precondition: all figures are positive.
[[nodiscard]] change common_change(std::span<const sample_pair> kinds);

enum class difference : std::uint8_t {
  better,   ///< the later figures are lower: by the interval, and by the test corrected for the number of comparisons
  worse,    ///< they are higher
  same,     ///< the interval lies within 3 % of 1
  unclear,  ///< none of these can be shown
};

/// The later figures of one kind against the earlier ones; lower is better.
struct sample_difference {
  estimate ratio;           ///< later / earlier: within rounds if they are paired, else by estimate_ratio()
  double significance = 1;  ///< by the sign test or by Mann and Whitney, corrected by Holm
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

/// A slowdown that no comparison may leave possible and yet be passed: a quarter, or what is tolerated if that is more.
inline constexpr double largest_doubt = 0.25;

/// Whether too little is known to say that it is not much worse: there are too few trials for any decision, or its
/// interval reaches beyond largest_doubt. False if it is surely_worse().
[[nodiscard]] bool cannot_tell(const sample_difference& compared, double tolerated, std::size_t trials_needed);

/// About how many more trials of each side would let cannot_tell() say false, if the figures stay as they are; at
/// least 1. Empty if that cannot be estimated: the figures themselves lie beyond the limit. Precondition:
/// cannot_tell().
[[nodiscard]] std::optional<std::size_t> trials_to_go(const sample_difference& compared, double tolerated,
                                                      std::size_t trials_needed);

/// "better", "worse", "same", "cannot tell".
[[nodiscard]] std::string_view to_string(difference result);

}  // namespace freshet::tool
