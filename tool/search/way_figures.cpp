#include "tool/search/way_figures.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/method/registry.hpp"

namespace freshet::tool {
namespace {

// The seconds that the program waited until it could hand over its next block, or got it; all where nobody counted.
double seconds_waited(const trial_result& trial) {
  if (ranks_by_disk(trial.plan.measured_class)) return trial.seconds_to_disk;
  if (trial.block_latency.calls() == 0) return trial.seconds_to_close;
  double nanoseconds = 0;
  for (const auto& [bucket, calls] : trial.block_latency.buckets()) {
    const auto low = static_cast<double>(latency_histogram::lower_end(bucket));
    const auto high = static_cast<double>(latency_histogram::upper_end(bucket));
    nanoseconds += static_cast<double>(calls) * (low + high) / 2;
  }
  return std::min(nanoseconds / 1e9, trial.seconds_to_close);
}

double seconds_taken(const trial_result& trial) { return trial.ranking_seconds(); }

// How far apart the middle half of the values is, or all of few; as a share of their median.
double spread_of(const std::vector<double>& values) {
  constexpr std::size_t few = 4;
  const auto [least, most] = std::ranges::minmax(values);
  const double range = values.size() < few ? most - least : quantile(values, 0.75) - quantile(values, 0.25);
  return range / median(values);
}

way_figure measure(const candidate& entry, double (*seconds_of)(const trial_result& trial)) {
  std::vector<double> seconds_per_byte;
  way_figure figure;
  for (const trial_result* const trial : usable_samples(entry)) {
    const double seconds = seconds_of(*trial);
    if (seconds > 0) seconds_per_byte.push_back(seconds / static_cast<double>(trial->bytes));
    figure.bytes += trial->bytes;
  }
  if (seconds_per_byte.empty()) return {};
  figure.seconds_per_byte = median(seconds_per_byte);
  figure.spread = spread_of(seconds_per_byte);
  return figure;
}

// The best of the ways that are wanted; null if none was measured. Plans with a prior show what a program knew, too.
template <typename Predicate>
const ranked_candidate* find_best(const class_verdict& verdict, Predicate wanted) {
  const auto found = std::ranges::find_if(verdict.ranking, [&](const ranked_candidate& ranked) {
    const detail::method_entry* const method = detail::find_method(ranked.plan.method);
    return method != nullptr && ranked.plan.prior == prior_state::none && ranked.plan.ordered && wanted(*method);
  });
  return found == verdict.ranking.end() ? nullptr : &*found;
}

const ranked_candidate* find_method_in(const class_verdict& verdict, std::string_view name) {
  return find_best(verdict, [&](const detail::method_entry& method) { return method.name == name; });
}

}  // namespace

measured_ways measure_ways(const class_verdict& verdict, std::span<const candidate> candidates) {
  measured_ways ways;
  if (const auto* const kept = find_method_in(verdict, "buffered"); kept != nullptr)
    ways.kept = measure(candidates[kept->index], seconds_waited);
  const ranked_candidate* behind = find_method_in(verdict, "writebehind");
  if (behind == nullptr) behind = find_method_in(verdict, "dontcache");
  if (behind != nullptr && !reads(verdict.measured_class))
    ways.behind = measure(candidates[behind->index], seconds_waited);
  const ranked_candidate* const past = find_best(verdict, [](const detail::method_entry& each) { return each.direct; });
  if (past == nullptr) return ways;
  // The device works while a program forms what it writes; what it reads, it waits for.
  ways.past = measure(candidates[past->index], reads(verdict.measured_class) ? seconds_waited : seconds_taken);
  ways.block = past->plan.block;
  ways.depth = past->plan.depth;
  return ways;
}

}  // namespace freshet::tool
