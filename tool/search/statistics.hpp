// The statistics that verdicts rest on: robust middles and spreads, what lies far out, and intervals by bootstrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace freshet::tool {

/// The value below which the share `p` of `values` lies, interpolated between neighbours. Precondition: `values` is not
/// empty and p lies in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double p);

/// The middle value. Precondition: `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

/// The median distance from the median (MAD), unscaled. Precondition: `values` is not empty.
[[nodiscard]] double median_deviation(std::span<const double> values);

/// Where in `values` the outliers are: those whose modified z-score, 0.6745 (value - median) / MAD, lies beyond 3.5 to
/// either side. Where more than half of the values are equal, the MAD is 0 and says nothing: the mean distance from the
/// median then stands for it, as 0.7979 of a standard deviation. Fewer than five values have no outliers.
/// Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993).
[[nodiscard]] std::vector<std::size_t> outliers(std::span<const double> values);

/// A range that holds the true value with the confidence it was made for.
struct interval {
  double low = 0;
  double high = 0;
  /// Whether all of it lies within [from, to].
  [[nodiscard]] bool inside(double from, double to) const noexcept { return low >= from && high <= to; }
  friend bool operator==(const interval&, const interval&) = default;
};

/// A figure drawn from `count` values (or pairs of them), and the interval around it.
struct estimate {
  double value = 0;
  interval range;
  std::size_t count = 0;
};

/// Two figures measured side by side: in the same round.
struct pairing {
  double first = 0;
  double second = 0;
};

/// How intervals are made: the middle part of the medians that resamples have, which are as large as the sample and
/// drawn from all of it. No resample is drawn, only which of the sample's members would be its median: that is, an
/// order statistic of as many uniform numbers, whose distribution (beta) is known. So the interval takes as long for
/// 100,000 values as for ten, but for sorting them. The same seed gives the same interval.
struct bootstrap {
  std::uint64_t seed = 1;
  unsigned resamples = 1000;
  double confidence = 0.95;
};

/// The median of `values`. Precondition: `values` is not empty.
[[nodiscard]] estimate estimate_median(std::span<const double> values, const bootstrap& how = {});

/// The median of first / second, pair by pair: what drifts from pair to pair cancels. Precondition: `pairs` is not
/// empty, and no figure is zero or negative.
[[nodiscard]] estimate estimate_paired_ratio(std::span<const pairing> pairs, const bootstrap& how = {});

/// median(first) / median(second), for figures that were not measured side by side; its count is that of the smaller
/// sample. Precondition: neither is empty, and no figure is zero or negative.
[[nodiscard]] estimate estimate_ratio(std::span<const double> first, std::span<const double> second,
                                      const bootstrap& how = {});

}  // namespace freshet::tool
