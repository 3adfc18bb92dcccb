#include "search/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace freshet::tool {

namespace {

/// Draws `sample.size()` of the sample's members, each time from all of them.
template <typename T>
void resample(std::span<const T> sample, std::vector<T>& drawn, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> any{0, sample.size() - 1};
  drawn.resize(sample.size());
  for (T& one : drawn) one = sample[any(random)];
}

/// The middle of `figures` at the wanted confidence.
interval middle_part(const std::vector<double>& figures, double confidence) {
  const double outside = (1 - confidence) / 2;
  return {quantile(figures, outside), quantile(figures, 1 - outside)};
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

double median_deviation(std::span<const double> values) {
  std::vector<double> distances{values.begin(), values.end()};
  const double middle = median(distances);
  for (double& value : distances) value = std::abs(value - middle);
  return median(std::move(distances));
}

estimate estimate_median(std::span<const double> values, const bootstrap& how) {
  std::mt19937_64 random{how.seed};
  std::vector<double> medians(how.resamples);
  std::vector<double> drawn;
  for (double& one : medians) {
    resample(values, drawn, random);
    one = median(drawn);
  }
  return {median({values.begin(), values.end()}), middle_part(medians, how.confidence), values.size()};
}

estimate estimate_paired_ratio(std::span<const pairing> pairs, const bootstrap& how) {
  std::vector<double> ratios;
  ratios.reserve(pairs.size());
  for (const pairing& pair : pairs) ratios.push_back(pair.first / pair.second);
  return estimate_median(ratios, how);
}

estimate estimate_ratio(std::span<const double> first, std::span<const double> second, const bootstrap& how) {
  std::mt19937_64 random{how.seed};
  std::vector<double> ratios(how.resamples);
  std::vector<double> upper;
  std::vector<double> lower;
  for (double& one : ratios) {
    resample(first, upper, random);
    resample(second, lower, random);
    one = median(upper) / median(lower);
  }
  return {median({first.begin(), first.end()}) / median({second.begin(), second.end()}),
          middle_part(ratios, how.confidence), std::min(first.size(), second.size())};
}

change common_change(std::span<const then_and_now> kinds) {
  std::vector<double> ratios;
  double rises = 0;  // rising pairs less falling ones, summed over the kinds
  double variance = 0;
  for (const then_and_now& kind : kinds) {
    const auto before = static_cast<double>(kind.earlier.size());
    const auto after = static_cast<double>(kind.later.size());
    variance += before * after * (before + after + 1) / 3;
    for (const double earlier : kind.earlier) {
      for (const double later : kind.later) {
        ratios.push_back(later / earlier);
        rises += later > earlier ? 1 : later < earlier ? -1 : 0;
      }
    }
  }
  if (ratios.empty()) return {};
  const double continuous = std::max(0.0, std::abs(rises) - 1);
  return {median(std::move(ratios)), std::erfc(continuous / std::sqrt(2 * variance))};
}

}  // namespace freshet::tool
