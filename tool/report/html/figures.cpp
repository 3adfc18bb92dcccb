#include "tool/report/html/figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace freshet::tool {
namespace {

using usable_trials = std::vector<const trial_result*>;

template <typename Figure>
std::vector<double> collect_finite(const usable_trials& trials, Figure figure) {
  std::vector<double> values = collect(trials, figure);
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

template <typename Figure>
nlohmann::json page_median(const usable_trials& trials, Figure figure) {
  std::vector<double> values = collect_finite(trials, figure);
  return values.empty() ? nlohmann::json(nullptr) : page_number(median(std::move(values)));
}

template <typename Figure>
nlohmann::json page_interval(const usable_trials& trials, Figure figure) {
  const std::vector<double> values = collect_finite(trials, figure);
  return values.empty() ? nlohmann::json(nullptr) : page_estimate(estimate_median(values));
}

// The median of a count, which trials may lack, for so many of the trial's bytes.
template <typename Count>
nlohmann::json page_count(const usable_trials& trials, Count trial_result::*count, double bytes = 1e9) {
  return page_median(trials, [=](const trial_result* trial) -> std::optional<double> {
    const std::optional<std::uint64_t> value = trial->*count;
    if (!value) return {};
    return static_cast<double>(*value) / static_cast<double>(trial->bytes) * bytes;
  });
}

// [[bytes, trials], …] of the usable trials that are not among the samples, largest first.
nlohmann::json count_other_sizes(const candidate& entry, const usable_trials& samples) {
  std::map<std::uint64_t, std::size_t, std::greater<>> sizes;
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable() && std::ranges::find(samples, &trial) == samples.end()) ++sizes[trial.plan.size];
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [size, trials] : sizes) out.push_back({size, trials});
  return out;
}

void add_device_figures(nlohmann::json& figures, const usable_trials& trials, bool reading) {
  const auto requests = reading ? &trial_result::device_reads : &trial_result::device_writes;
  const auto bytes = reading ? &trial_result::device_bytes_read : &trial_result::device_bytes;
  figures["device_requests_per_gb"] = page_count(trials, requests);
  figures["device_gb_per_gb"] = page_count(trials, bytes, 1);
  figures["merges_per_gb"] = reading ? nlohmann::json(nullptr) : page_count(trials, &trial_result::device_merges);
  figures["extents"] = page_median(trials, &trial_result::extents);
}

}  // namespace

nlohmann::json page_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  constexpr int digits = 6;
  const int power = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  // A power of ten below 1 is not exact; dividing by one above 1 is.
  const double scale = std::pow(10.0, std::abs(power));
  const double rounded = power >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
  constexpr double whole = 1e15;
  if (rounded == std::trunc(rounded) && std::abs(rounded) < whole) return static_cast<std::int64_t>(rounded);
  return std::isfinite(rounded) ? nlohmann::json(rounded) : nlohmann::json(value);
}

nlohmann::json page_estimate(const estimate& figure) {
  if (figure.count < 2) return nlohmann::json::array({page_number(figure.value)});
  nlohmann::json out{page_number(figure.value), page_number(figure.range.low), page_number(figure.range.high)};
  if (figure.has_interval()) out.push_back(page_number(figure.confidence));
  return out;
}

nlohmann::json page_figures(const candidate& entry) {
  const usable_trials trials = usable_samples(entry);
  const bool reading = reads(entry.plan.measured_class);
  nlohmann::json figures{{"used", trials.size()}};
  if (trials.empty()) return figures;
  const auto size = [](const trial_result* trial) { return trial->plan.size; };
  const auto [least, most] = std::ranges::minmax_element(trials, {}, size);
  figures["size"] = size(*most);
  figures["least_size"] = size(*least);
  figures["other_sizes"] = count_other_sizes(entry, trials);
  figures["close"] = page_interval(trials, &trial_result::rate_to_close);
  figures["disk"] = reading ? nlohmann::json(nullptr) : page_interval(trials, &trial_result::rate_to_disk);
  figures["cpu"] = page_interval(trials, &trial_result::cpu_per_gb);
  figures["ceiling"] = page_median(trials, &trial_result::generator_ceiling);
  figures["calls_per_gb"] = page_count(trials, &trial_result::write_calls);
  figures["faults_per_gb"] = page_count(trials, &trial_result::faults_minor);
  figures["switches_per_gb"] = page_count(trials, &trial_result::switches_voluntary);
  figures["peak_memory"] = page_median(trials, &trial_result::peak_memory);
  figures["page_cache"] = page_median(trials, &trial_result::page_cache);
  add_device_figures(figures, trials, reading);
  return figures;
}

nlohmann::json page_curve(const candidate& entry, const std::vector<std::int64_t>& ids,
                          const std::vector<std::uint64_t>& blocks) {
  usable_trials trials = usable_samples(entry);
  std::erase_if(trials, [](const trial_result* trial) { return trial->over_time.bytes().empty(); });
  if (trials.empty()) return nullptr;
  const auto middle = trials.begin() + static_cast<std::ptrdiff_t>((trials.size() - 1) / 2);
  std::ranges::nth_element(trials, middle, {}, [](const trial_result* trial) { return trial->ranking_seconds(); });
  const rate_curve& curve = (*middle)->over_time;
  nlohmann::json rates = nlohmann::json::array();
  for (const std::uint64_t bytes : curve.bytes())
    rates.push_back(page_number(static_cast<double>(bytes) / curve.step() / 1e6));
  const auto number = static_cast<std::size_t>(*middle - entry.trials.data());
  return {{"trial", ids.at(number)}, {"blocks", blocks.at(number)}, {"step", curve.step()}, {"mb_per_second", rates}};
}

nlohmann::json page_latency(const latency_histogram& latency) {
  if (latency.buckets().empty()) return nullptr;
  nlohmann::json ends = nlohmann::json::array();
  nlohmann::json calls = nlohmann::json::array();
  for (const auto& [bucket, count] : latency.buckets()) {
    ends.push_back(latency_histogram::lower_end(bucket + 1));
    calls.push_back(count);
  }
  return {{"nanoseconds", ends}, {"calls", calls}};
}

}  // namespace freshet::tool
