#include "tool/search/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace freshet::tool {
namespace {

constexpr double outlying = 3.5;                    // modified z-scores
constexpr double mad_of_sigma = 0.6745;             // in a normal distribution
constexpr double mean_deviation_of_sigma = 0.7979;  // in a normal distribution
constexpr std::size_t least_for_outliers = 5;

// How many of the smallest, and as many of the largest, of `count` values lie outside an interval for their median, and
// the confidence that it attains.
struct order_interval {
  std::size_t outside = 0;
  double confidence = 0;
};

order_interval find_order_interval(std::size_t count) {
  const auto n = static_cast<double>(count);
  double log_chance = -n * std::numbers::ln2;  // that exactly `below` values lie below the true median
  double chance = std::exp(log_chance);        // that at most so many do
  order_interval widest{0, 1 - 2 * chance};
  for (std::size_t below = 0; 2 * chance <= 1 - least_confidence && 2 * (below + 1) < count; ++below) {
    widest = {below, 1 - 2 * chance};
    log_chance += std::log((n - static_cast<double>(below)) / (static_cast<double>(below) + 1));
    chance += std::exp(log_chance);
  }
  return widest;
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const double whole = std::floor(position);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(values.begin(), below, values.end());
  const double share = position - whole;
  if (share == 0) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below + share * (above - *below);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

spread compute_spread(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  spread result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count,
                .least = *std::ranges::min_element(values),
                .most = *std::ranges::max_element(values)};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double each : values) squares += (each - result.mean) * (each - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

double median_deviation(std::span<const double> values) {
  std::vector<double> distances{values.begin(), values.end()};
  const double middle = median(distances);
  for (double& value : distances) value = std::abs(value - middle);
  return median(std::move(distances));
}

std::vector<std::size_t> outliers(std::span<const double> values) {
  if (values.size() < least_for_outliers) return {};
  const double middle = median({values.begin(), values.end()});
  double sigma = median_deviation(values) / mad_of_sigma;
  if (sigma == 0) {
    for (const double value : values) sigma += std::abs(value - middle);
    sigma /= static_cast<double>(values.size()) * mean_deviation_of_sigma;
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - middle) > outlying * sigma) positions.push_back(i);
  return positions;
}

estimate estimate_median(std::span<const double> values) {
  std::vector<double> sorted{values.begin(), values.end()};
  std::ranges::sort(sorted);
  const order_interval inside = find_order_interval(sorted.size());
  const interval range{sorted[inside.outside], sorted[sorted.size() - 1 - inside.outside]};
  return {median(std::move(sorted)), range, values.size(), inside.confidence};
}

estimate estimate_paired_ratio(std::span<const pairing> pairs) {
  const estimate logarithm =
      estimate_median(collect(pairs, [](const pairing& pair) { return std::log(pair.ratio()); }));
  const interval& range = logarithm.range;
  return {std::exp(logarithm.value), {std::exp(range.low), std::exp(range.high)}, pairs.size(), logarithm.confidence};
}

}  // namespace freshet::tool
