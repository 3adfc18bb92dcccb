// How likely chance alone would show what was measured: tests of two samples, of trends, and of many things at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
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

/// Figures of one kind, from an earlier and from a later time, or of two sides.
struct sample_pair {
  std::vector<double> earlier;
  std::vector<double> later;
};

/// The same two for figures of several kinds, each of which is compared only with its own: U is that of the later ones,
/// summed over the kinds, and the interval is that of a ratio that all kinds have in common. The count is that of the
/// side with fewer figures. Kinds without an earlier or a later figure are ignored. Precondition of estimate_ratio():
/// one kind has both, and all figures are positive. Source: van Elteren (1960).
[[nodiscard]] rank_test mann_whitney(std::span<const sample_pair> kinds);
[[nodiscard]] estimate estimate_ratio(std::span<const sample_pair> kinds);

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

/// How figures changed from the earlier time to the later.
struct change {
  double ratio = 1;         ///< the median of later / earlier, over all pairs of a kind (Hodges and Lehmann)
  double significance = 1;  ///< the probability of so clear a change by chance (Mann and Whitney, two-sided)
};

/// Returns the common change of several kinds of figures, each of which is compared only with its own kind. Kinds
/// without an earlier or a later figure are ignored. Precondition: all figures are positive.
[[nodiscard]] change common_change(std::span<const sample_pair> kinds);

/// The fewest trials of each side with which the clearest difference is significant although so many comparisons are
/// made at once.
[[nodiscard]] std::size_t count_trials_needed(std::size_t comparisons, bool paired);

/// What holm() must leave of a significance to show a difference.
inline constexpr double significance_limit = 0.05;

}  // namespace freshet::tool
