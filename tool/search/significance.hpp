// How likely chance alone is to show what was measured: tests of two samples, of trends, and of many things at once.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace freshet::tool {

/// What a test by ranks found.
struct rank_test {
  double statistic = 0;
  double significance = 1;  ///< the chance of as clear a statistic, to either side, where there is nothing (p)
};

/// Whether the values of one sample are mostly above those of the other; the statistic is the first one's U: pairs in
/// which it is above, equal ones counted half. Exact where nothing is equal and one sample has at most eight values,
/// else by the normal distribution, corrected for ties and for continuity; as scipy.stats.mannwhitneyu does. Nothing is
/// found where a sample is empty. Source: Mann and Whitney (1947).
[[nodiscard]] rank_test mann_whitney(std::span<const double> first, std::span<const double> second);

/// Whether one figure rises with the other; the statistic is the correlation of their ranks, -1 … 1. By Student's
/// distribution, which finds too much among fewer than ten, as scipy.stats.spearmanr. Nothing is found among fewer than
/// three, or where all of one are equal. Precondition: both have the same size. Source: Spearman (1904).
[[nodiscard]] rank_test spearman(std::span<const double> one, std::span<const double> other);

/// The significances of tests that were made together, each made larger so that the chance to find anything where there
/// is nothing stays what one test would have alone. Source: Holm (1979).
[[nodiscard]] std::vector<double> holm(std::span<const double> significances);

/// "p = 0.012", "p < 0.001".
[[nodiscard]] std::string chance_in_words(double significance);

/// Figures of one kind, of an earlier and of a later time.
struct then_and_now {
  std::vector<double> earlier;
  std::vector<double> later;
};

/// Whether figures changed meanwhile.
struct change {
  double ratio = 1;         ///< the median of later / earlier, over all pairs of a kind (Hodges and Lehmann)
  double significance = 1;  ///< the chance of as clear a change where there is none (Mann and Whitney, two-sided)
};

/// The common change of several kinds of figures, each of which is compared with its own kind only. Kinds without an
/// earlier or a later figure say nothing. Precondition: no figure is zero or negative.
[[nodiscard]] change common_change(std::span<const then_and_now> kinds);

}  // namespace freshet::tool
