#include "tool/search/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tool/search/significance.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr double worth_reporting = 0.03;  // two plans that tie may differ by as much
constexpr double significant = 0.05;
constexpr std::size_t least_trials = 10;  // with fewer, Student's distribution finds trends too easily

std::vector<std::vector<timed_trial>> sort_by_kind(std::span<const timed_trial> trials) {
  std::vector<std::vector<timed_trial>> kinds;
  for (const timed_trial& trial : trials) {
    if (trial.kind >= kinds.size()) kinds.resize(trial.kind + 1);
    kinds[trial.kind].push_back(trial);
  }
  return kinds;
}

// The first trial of each kind against its others.
order_effect measure_first_effect(const std::vector<std::vector<timed_trial>>& kinds) {
  std::vector<sample_pair> compared;
  for (const std::vector<timed_trial>& kind : kinds) {
    if (kind.size() < 2) continue;
    sample_pair& both = compared.emplace_back();
    both.earlier.push_back(kind.front().seconds);
    for (std::size_t i = 1; i < kind.size(); ++i) both.later.push_back(kind[i].seconds);
  }
  const change effect = common_change(compared);
  return {1 / effect.ratio - 1, effect.significance};
}

// The seconds of each trial as a multiple of its kind's median, without kinds that have a single trial.
struct relative_seconds {
  std::vector<double> when;  // how many trials came before, or the position in the round
  std::vector<double> seconds;
};

std::vector<double> compute_medians(const std::vector<std::vector<timed_trial>>& kinds) {
  std::vector<double> medians;
  for (const std::vector<timed_trial>& kind : kinds)
    medians.push_back(kind.size() < 2 ? 0 : median(collect(kind, &timed_trial::seconds)));
  return medians;
}

// Compares the median of the seconds whose `when` is at least `from` with that of those where it is at most `to`.
order_effect compare_ends(const relative_seconds& trials, double to, double from) {
  std::vector<double> early;
  std::vector<double> late;
  for (std::size_t i = 0; i < trials.when.size(); ++i) {
    if (trials.when[i] <= to) early.push_back(trials.seconds[i]);
    if (trials.when[i] >= from) late.push_back(trials.seconds[i]);
  }
  if (trials.when.size() < least_trials || early.empty() || late.empty()) return {};
  return {median(std::move(late)) / median(std::move(early)) - 1, spearman(trials.when, trials.seconds).significance};
}

order_effect measure_drift(std::span<const timed_trial> trials, std::vector<std::vector<timed_trial>> kinds,
                           bool without_first) {
  if (without_first) {
    for (std::vector<timed_trial>& kind : kinds)
      if (!kind.empty()) kind.erase(kind.begin());
  }
  const std::vector<double> medians = compute_medians(kinds);
  std::vector<bool> seen(kinds.size(), !without_first);
  relative_seconds all;
  for (const timed_trial& trial : trials) {
    const bool is_used = seen[trial.kind] && medians[trial.kind] > 0;
    seen[trial.kind] = true;
    if (!is_used) continue;
    all.when.push_back(static_cast<double>(all.when.size()));
    all.seconds.push_back(trial.seconds / medians[trial.kind]);
  }
  const auto count = static_cast<double>(all.when.size());
  return compare_ends(all, count / 3 - 1, count * 2 / 3);
}

order_effect measure_position_effect(std::span<const timed_trial> trials,
                                     const std::vector<std::vector<timed_trial>>& kinds) {
  const std::vector<double> medians = compute_medians(kinds);
  relative_seconds all;
  for (const timed_trial& trial : trials) {
    if (medians[trial.kind] == 0) continue;
    all.when.push_back(trial.position);
    all.seconds.push_back(trial.seconds / medians[trial.kind]);
  }
  if (all.when.empty()) return {};
  const double middle = median(all.when);
  return compare_ends(all, std::ceil(middle) - 1, std::floor(middle) + 1);
}

std::string describe_effect(std::string_view subject, std::string_view verb, const order_effect& effect,
                            std::string_view than) {
  return fmt::format("{} {} {:.0f} % {}{} ({})", subject, verb, std::abs(effect.slower) * 100,
                     effect.slower > 0 ? "slower" : "faster", than, format_p_value(effect.significance));
}

}  // namespace

bool order_effect::noticed() const noexcept { return std::abs(slower) > worth_reporting && significance < significant; }

order_effects find_order_effects(std::span<const timed_trial> trials) {
  const std::vector<std::vector<timed_trial>> kinds = sort_by_kind(trials);
  order_effects effects;
  effects.first = measure_first_effect(kinds);
  // Even an uncorrected significance is reason enough to leave the first trials out of the trend.
  effects.drift = measure_drift(trials, kinds, effects.first.noticed());
  effects.position = measure_position_effect(trials, kinds);
  const std::vector<double> corrected =
      holm(std::array{effects.first.significance, effects.drift.significance, effects.position.significance});
  effects.first.significance = corrected[0];
  effects.drift.significance = corrected[1];
  effects.position.significance = corrected[2];
  return effects;
}

std::vector<std::string> describe(const order_effects& effects) {
  std::vector<std::string> sentences;
  if (effects.first.noticed())
    sentences.push_back(describe_effect("the first trials of each plan", "were", effects.first, ""));
  if (effects.drift.noticed())
    sentences.push_back(
        describe_effect("trials", "became", effects.drift, " from the first third of the run to the last"));
  if (effects.position.noticed())
    sentences.push_back(describe_effect("trials late in a round", "were", effects.position, " than early ones"));
  return sentences;
}

}  // namespace freshet::tool
