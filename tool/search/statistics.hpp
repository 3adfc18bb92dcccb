// The statistics that verdicts rest on: robust medians and deviations, outliers, and exact intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace freshet::tool {

/// Returns a figure of each item. Items whose figure is an empty std::optional are left out.
template <typename Items, typename Figure>
[[nodiscard]] std::vector<double> collect(const Items& items, Figure figure) {
  std::vector<double> values;
  values.reserve(items.size());
  for (const auto& item : items) {
    const auto value = std::invoke(figure, item);
    if constexpr (std::is_arithmetic_v<std::remove_const_t<decltype(value)>>)
      values.push_back(static_cast<double>(value));
    else if (value)
      values.push_back(static_cast<double>(*value));
  }
  return values;
}

/// Returns the value below which the share `p` of `values` lies, interpolated between neighbours. Precondition:
/// `values` is not empty and p lies in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double p);

/// Precondition: `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

/// Figures for formats and programs that have no medians.
struct spread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation of the sample (n - 1); 0 for a single value
  double least = 0;
  double most = 0;
};
/// All zero if there are no values.
[[nodiscard]] spread compute_spread(std::span<const double> values);

/// Returns the median distance from the median (MAD), unscaled. Precondition: `values` is not empty.
[[nodiscard]] double median_deviation(std::span<const double> values);

/// Returns the indices of the outliers: values whose modified z-score, 0.6745 (value - median) / MAD, lies beyond 3.5
/// to either side. If more than half of the values are equal, the MAD is 0; the mean distance from the median then
/// replaces it, as 0.7979 of a standard deviation. Fewer than five values have no outliers. Source: Iglewicz and
/// Hoaglin, How to Detect and Handle Outliers (1993).
[[nodiscard]] std::vector<std::size_t> outliers(std::span<const double> values);

/// A range that contains the true value with a given confidence.
struct interval {
  double low = 0;
  double high = 0;
  /// Whether all of it lies within [from, to].
  [[nodiscard]] bool inside(double from, double to) const noexcept { return low >= from && high <= to; }
  friend bool operator==(const interval&, const interval&) = default;
};

/// The confidence that an interval must attain to be called one.
inline constexpr double least_confidence = 0.95;

/// A figure computed from `count` values (or pairs of them).
struct estimate {
  double value = 0;
  interval range;
  std::size_t count = 0;
  /// The probability that such a range contains the true value. Below least_confidence, which takes six values to
  /// reach, the range is only that of all values, and decides nothing.
  double confidence = 0;
  [[nodiscard]] bool has_interval() const noexcept { return confidence >= least_confidence; }
};

/// Two figures measured side by side, in the same round.
struct pairing {
  double first = 0;
  double second = 0;
  [[nodiscard]] double ratio() const noexcept { return first / second; }
};

/// Returns the median of `values`. Its range reaches from one of them to another, as near to the middle as
/// least_confidence allows: each value lies below the true median with probability 1/2, so the binomial distribution
/// gives the confidence exactly, whatever the distribution of the values. Precondition: `values` is not empty. Source:
/// David and Nagaraja, Order Statistics (2003), 7.1.
[[nodiscard]] estimate estimate_median(std::span<const double> values);

/// Returns the median of first / second, pair by pair, so that drift from pair to pair cancels out. Of two ratios in
/// the middle it is the geometric mean, so that second / first is its inverse. Precondition: `pairs` is not empty, and
/// all figures are positive.
[[nodiscard]] estimate estimate_paired_ratio(std::span<const pairing> pairs);

}  // namespace freshet::tool
