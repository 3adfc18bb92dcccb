#include "tool/search/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace freshet::tool {
namespace {

constexpr std::size_t least_programs = 3;
constexpr double wanted_coverage = 0.9;

// Adds how far each value's logarithm lies from their median.
void add_deviations(std::vector<double>& deviations, const std::vector<double>& values) {
  if (values.empty()) return;
  const double middle = median(values);
  for (const double value : values) deviations.push_back(std::log(value / middle));
}

// A range, wider by what changes from minute to minute.
interval widened(const interval& rates) {
  return {rates.low * (1 - change_from_minute_to_minute), rates.high * (1 + change_from_minute_to_minute)};
}

}  // namespace

interval expect_next_rate(const candidate& entry, std::uint64_t size) {
  std::vector<double> rates;
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable() && trial.plan.size == size) rates.push_back(1e3 / trial.seconds_per_gb());
  if (rates.empty()) return {};
  const auto [slowest, fastest] = std::ranges::minmax(rates);
  return widened({slowest, fastest});
}

std::optional<prediction> predict_next_file(std::span<const program_files> programs, const candidate& entry) {
  std::vector<double> first;
  std::vector<double> later;
  for (const program_files& files : programs) {
    if (!files.first.is_usable() || !files.later.is_usable()) continue;
    first.push_back(files.first.seconds_per_gb());
    later.push_back(files.later.seconds_per_gb() / files.first.seconds_per_gb());
  }
  if (first.size() < least_programs) return {};
  std::vector<double> deviations;
  add_deviations(deviations, first);
  add_deviations(deviations, collect(usable_samples(entry), &trial_result::seconds_per_gb));
  std::ranges::sort(deviations);
  const auto places = static_cast<double>(deviations.size() + 1);
  const auto outside = static_cast<std::size_t>(std::max(1.0, std::floor(places * (1 - wanted_coverage) / 2)));
  const double middle = median(first);
  const auto rate = [&](double deviation) { return 1e3 / (middle * std::exp(deviation)); };
  return prediction{.plan = entry.plan,
                    .size = programs.front().first.plan.size,
                    .rate = rate(0),
                    .rates = widened({rate(deviations[deviations.size() - outside]), rate(deviations[outside - 1])}),
                    .coverage = (places - 2 * static_cast<double>(outside)) / places,
                    .later = median(std::move(later)),
                    .programs = first.size()};
}

}  // namespace freshet::tool
