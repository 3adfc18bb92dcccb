#include "tool/search/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "tool/search/significance.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t rounds_to_pair_costs = 2;
constexpr interval unbounded{0, std::numeric_limits<double>::infinity()};

// The median of the means of all pairs of values, each with itself included: nearly as precise as the mean, but a few
// outliers hardly move it (Hodges and Lehmann, 1963).
double pseudomedian(std::span<const double> values) {
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  return median(std::move(means));
}

constexpr double sigma_of_mad = 1.4826;

double mix(double deviation, double weight, double other, double weight_of_other) {
  return std::sqrt((weight * deviation * deviation + weight_of_other * other * other) / (weight + weight_of_other));
}

// The standard deviation as far as the values show it, by their median deviation, which outliers leave alone.
double estimate_deviation(std::span<const double> values) { return sigma_of_mad * median_deviation(values); }

// The logarithm of a trial's time; what its plan and its round share is taken off it.
struct residual {
  std::size_t plan = 0;
  std::pair<unsigned, std::uint64_t> round;  // with the size of its files
  double value = 0;
};

// Takes off each group's median; returns how many groups there are.
template <typename Key>
std::size_t subtract_medians(std::vector<residual>& values, Key key_of) {
  std::map<std::decay_t<std::invoke_result_t<Key, residual>>, std::vector<double>> groups;
  for (const residual& each : values) groups[std::invoke(key_of, each)].push_back(each.value);
  std::map<std::decay_t<std::invoke_result_t<Key, residual>>, double> medians;
  for (auto& [key, group] : groups) medians[key] = median(std::move(group));
  for (residual& each : values) each.value -= medians.at(std::invoke(key_of, each));
  return medians.size();
}

std::vector<double> seconds_of(const candidate& entry, metric which) {
  return collect(usable_samples(entry), [&](const trial_result* trial) { return trial->seconds_per_gb_by(which); });
}

std::vector<pairing> pair_seconds(const candidate& first, const candidate& second, metric which) {
  return pair_figures(find_shared_trials(first, second),
                      [&](const trial_result& trial) { return trial.seconds_per_gb_by(which); });
}

outcome decide(const comparison& against, double negligible_share) {
  const interval& range = against.ratio.range;
  if (range.low > 1 + negligible_share) return outcome::worse;
  if (range.high < 1 / (1 + negligible_share)) return outcome::better;
  const bool alike = range.inside(1 / (1 + negligible_share), 1 + negligible_share);
  return alike && against.ratio.count >= rounds_to_decide ? outcome::tie : outcome::undecided;
}

// CPU time is counted in ticks, and may be 0.
double cpu_cost_ratio(const pairing& costs) {
  constexpr double least = 1e-6;
  return std::max(costs.first, least) / std::max(costs.second, least);
}

bool exceed_noise(double first, double second) {
  return std::abs(first - second) > std::max(cpu_noise, cpu_noise_share * std::max(first, second));
}

}  // namespace

double estimate_noise(std::span<const candidate> candidates, metric which) {
  std::vector<residual> values;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (const trial_result& trial : candidates[i].trials)
      if (trial.is_usable())
        values.push_back({i, {trial.round, trial.bytes}, std::log(trial.seconds_per_gb_by(which))});
  std::size_t parameters = 0;
  constexpr int sweeps = 3;  // medians of rows and of columns in turn settle quickly (Tukey's median polish)
  for (int sweep = 0; sweep < sweeps; ++sweep)
    parameters = subtract_medians(values, &residual::plan) + subtract_medians(values, &residual::round);
  if (values.empty() || values.size() < parameters) return usual_noise;
  const auto left = static_cast<double>(values.size() + 1 - parameters);
  const double seen = estimate_deviation(collect(values, &residual::value)) *
                      std::sqrt(static_cast<double>(values.size()) / left) * std::numbers::sqrt2;
  return mix(usual_noise, weight_of_usual_noise, seen, left);
}

interval bound_ratio(std::span<const double> logarithms, double noise) {
  if (logarithms.size() < 2) return unbounded;
  const auto rounds = static_cast<double>(logarithms.size());
  const double deviation = mix(noise, weight_of_all, estimate_deviation(logarithms), rounds - 1);
  const double reach = (bound_deviations + bound_deviations_of_few / rounds) * deviation / std::sqrt(rounds);
  // The round that speaks most for a difference does not count, to either side: it may be an outlier.
  std::vector<double> sorted{logarithms.begin(), logarithms.end()};
  std::ranges::sort(sorted);
  const std::span<const double> all{sorted};
  return {std::exp(pseudomedian(all.first(all.size() - 1)) - reach), std::exp(pseudomedian(all.subspan(1)) + reach)};
}

bool is_planned_look(std::size_t rounds) {
  // Each look may be misled by chance, so there are few. The range of a ratio allows for these.
  static constexpr std::array<std::size_t, 11> after{2, 3, 4, 6, 9, 13, 19, 28, 42, 63, 95};
  return std::ranges::binary_search(after, rounds);
}

comparison make_comparison(const estimate& ratio, double negligible_share) {
  comparison result{.ratio = ratio};
  if (!ratio.has_interval()) result.ratio.range = unbounded;
  result.result = decide(result, negligible_share);
  return result;
}

comparison compare(const candidate& first, const candidate& second, const comparison_rules& rules) {
  const std::vector<pairing> rounds = pair_seconds(first, second, rules.which);
  if (rounds.empty())
    return make_comparison(estimate_ratio(seconds_of(first, rules.which), seconds_of(second, rules.which)),
                           rules.negligible_share);
  comparison result{.ratio = estimate_paired_ratio(rounds), .paired = true};
  result.ratio.range =
      bound_ratio(collect(rounds, [](const pairing& each) { return std::log(each.ratio()); }), rules.noise);
  result.result = decide(result, rules.negligible_share);
  return result;
}

comparison inverted(const comparison& against) {
  static constexpr std::array<outcome, 4> swapped{outcome::worse, outcome::better, outcome::tie, outcome::undecided};
  comparison other = against;
  other.ratio.value = 1 / against.ratio.value;
  other.ratio.range = {1 / against.ratio.range.high, 1 / against.ratio.range.low};
  other.result = swapped.at(static_cast<std::size_t>(against.result));
  return other;
}

double seconds_ratio(const candidate& first, const candidate& second) {
  const std::vector<pairing> rounds = pair_seconds(first, second, metric::ranking);
  if (rounds.empty()) return seconds_per_gb(first) / seconds_per_gb(second);
  return estimate_paired_ratio(rounds).value;
}

cpu_cost_comparison compare_cpu_costs(const candidate& first, const candidate& second) {
  std::vector<pairing> rounds = pair_figures(find_shared_trials(first, second), &trial_result::cpu_per_gb);
  if (rounds.size() < rounds_to_pair_costs) rounds = {{cpu_per_gb(first), cpu_per_gb(second)}};
  cpu_cost_comparison result{.ratio = estimate_median(collect(rounds, cpu_cost_ratio))};
  result.differs = exceed_noise(median(collect(rounds, &pairing::first)), median(collect(rounds, &pairing::second)));
  const interval& range = result.ratio.range;
  result.sure = result.differs && result.ratio.has_interval() && (range.high < 1 || range.low > 1);
  return result;
}

}  // namespace freshet::tool
