#include "tool/search/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace freshet::tool {
namespace {

constexpr double outlying = 3.5;                    // modified z-scores
constexpr double mad_of_sigma = 0.6745;             // in a normal distribution
constexpr double mean_deviation_of_sigma = 0.7979;  // in a normal distribution
constexpr std::size_t least_for_outliers = 5;

// Draws the medians of resamples of a sample.
class resampled_median {
 public:
  explicit resampled_median(std::span<const double> sample)
      : sorted_{sample.begin(), sample.end()},
        below_{whole_half(sample.size() + 1)},
        above_{whole_half(sample.size()) + 1} {
    std::ranges::sort(sorted_);
  }

  double operator()(std::mt19937_64& random) {
    // A beta variate is made of two gamma variates.
    const double low = below_(random);
    const double middle = low / (low + above_(random));
    if (sorted_.size() % 2 == 1) return at(middle);
    // The next of the uniform numbers is the smallest of the upper half, all of which lie above the middle.
    const double half = static_cast<double>(sorted_.size()) / 2;
    const double next = 1 - (1 - middle) * std::pow(any_(random), 1 / half);
    return (at(middle) + at(next)) / 2;
  }

 private:
  static double whole_half(std::size_t count) { return static_cast<double>(count - count % 2) / 2; }

  [[nodiscard]] double at(double share) const {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(sorted_.size()));
    return sorted_[std::min(place, sorted_.size() - 1)];
  }

  std::vector<double> sorted_;
  std::gamma_distribution<double> below_;
  std::gamma_distribution<double> above_;
  std::uniform_real_distribution<double> any_{0, 1};
};

// The part of `figures` between the quantiles that the confidence asks for.
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

estimate estimate_median(std::span<const double> values, const bootstrap& how) {
  std::mt19937_64 random{how.seed};
  resampled_median draw{values};
  std::vector<double> medians(how.resamples);
  for (double& one : medians) one = draw(random);
  return {median({values.begin(), values.end()}), middle_part(medians, how.confidence), values.size()};
}

estimate estimate_paired_ratio(std::span<const pairing> pairs, const bootstrap& how) {
  return estimate_median(collect(pairs, &pairing::ratio), how);
}

estimate estimate_ratio(std::span<const double> first, std::span<const double> second, const bootstrap& how) {
  std::mt19937_64 random{how.seed};
  resampled_median upper{first};
  resampled_median lower{second};
  std::vector<double> ratios(how.resamples);
  for (double& one : ratios) {
    const double above = upper(random);
    one = above / lower(random);
  }
  return {median({first.begin(), first.end()}) / median({second.begin(), second.end()}),
          middle_part(ratios, how.confidence), std::min(first.size(), second.size())};
}

}  // namespace freshet::tool
