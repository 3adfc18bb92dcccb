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

constexpr double worth_saying = 0.03;  // as much as two that tie may differ by
constexpr double certain = 0.05;
constexpr std::size_t least_trials = 10;  // of fewer, Student's distribution finds trends too easily

/// Trials by their kinds.
std::vector<std::vector<timed>> sorted_by_kind(std::span<const timed> trials) {
  std::vector<std::vector<timed>> kinds;
  for (const timed& made : trials) {
    if (made.kind >= kinds.size()) kinds.resize(made.kind + 1);
    kinds[made.kind].push_back(made);
  }
  return kinds;
}

/// The first of each kind against the rest of it.
order_effect effect_of_being_first(const std::vector<std::vector<timed>>& kinds) {
  std::vector<then_and_now> compared;
  for (const std::vector<timed>& kind : kinds) {
    if (kind.size() < 2) continue;
    then_and_now& both = compared.emplace_back();
    both.earlier.push_back(kind.front().seconds);
    for (std::size_t i = 1; i < kind.size(); ++i) both.later.push_back(kind[i].seconds);
  }
  const change found = common_change(compared);
  return {1 / found.ratio - 1, found.significance};
}

/// What each trial took, as a multiple of its kind's median; kinds with a single one are left out.
struct relative_seconds {
  std::vector<double> when;  ///< whatever may matter: how many came before, or the position
  std::vector<double> seconds;
};

std::vector<double> medians_of(const std::vector<std::vector<timed>>& kinds) {
  std::vector<double> medians;
  for (const std::vector<timed>& kind : kinds) {
    std::vector<double> seconds;
    for (const timed& made : kind) seconds.push_back(made.seconds);
    medians.push_back(seconds.size() < 2 ? 0 : median(std::move(seconds)));
  }
  return medians;
}

/// The median of those seconds whose `when` is at least `from`, against those where it is at most `to`.
order_effect effect_of(const relative_seconds& trials, double to, double from) {
  std::vector<double> early;
  std::vector<double> late;
  for (std::size_t i = 0; i < trials.when.size(); ++i) {
    if (trials.when[i] <= to) early.push_back(trials.seconds[i]);
    if (trials.when[i] >= from) late.push_back(trials.seconds[i]);
  }
  if (trials.when.size() < least_trials || early.empty() || late.empty()) return {};
  return {median(std::move(late)) / median(std::move(early)) - 1, spearman(trials.when, trials.seconds).significance};
}

order_effect effect_of_time(std::span<const timed> trials, std::vector<std::vector<timed>> kinds, bool without_first) {
  if (without_first) {
    for (std::vector<timed>& kind : kinds)
      if (!kind.empty()) kind.erase(kind.begin());
  }
  const std::vector<double> medians = medians_of(kinds);
  std::vector<bool> seen(kinds.size(), !without_first);
  relative_seconds all;
  for (const timed& made : trials) {
    const bool counts = seen[made.kind] && medians[made.kind] > 0;
    seen[made.kind] = true;
    if (!counts) continue;
    all.when.push_back(static_cast<double>(all.when.size()));
    all.seconds.push_back(made.seconds / medians[made.kind]);
  }
  const auto count = static_cast<double>(all.when.size());
  return effect_of(all, count / 3 - 1, count * 2 / 3);
}

order_effect effect_of_position(std::span<const timed> trials, const std::vector<std::vector<timed>>& kinds) {
  const std::vector<double> medians = medians_of(kinds);
  relative_seconds all;
  for (const timed& made : trials) {
    if (medians[made.kind] == 0) continue;
    all.when.push_back(made.position);
    all.seconds.push_back(made.seconds / medians[made.kind]);
  }
  if (all.when.empty()) return {};
  const double middle = median(all.when);
  return effect_of(all, std::ceil(middle) - 1, std::floor(middle) + 1);
}

std::string slower_in_words(std::string_view who, std::string_view were, const order_effect& effect,
                            std::string_view than) {
  return fmt::format("{} {} {:.0f} % {}{} ({})", who, were, std::abs(effect.slower) * 100,
                     effect.slower > 0 ? "slower" : "faster", than, chance_in_words(effect.significance));
}

}  // namespace

bool order_effect::noticed() const noexcept { return std::abs(slower) > worth_saying && significance < certain; }

order_effects find_order_effects(std::span<const timed> trials) {
  const std::vector<std::vector<timed>> kinds = sorted_by_kind(trials);
  order_effects found;
  found.first = effect_of_being_first(kinds);
  // A mere suspicion, uncorrected yet, is enough to leave the first ones out of the trend.
  found.drift = effect_of_time(trials, kinds, found.first.noticed());
  found.position = effect_of_position(trials, kinds);
  const std::vector<double> corrected =
      holm(std::array{found.first.significance, found.drift.significance, found.position.significance});
  found.first.significance = corrected[0];
  found.drift.significance = corrected[1];
  found.position.significance = corrected[2];
  return found;
}

std::vector<std::string> in_words(const order_effects& found) {
  std::vector<std::string> sentences;
  if (found.first.noticed())
    sentences.push_back(slower_in_words("the first trials of each plan", "were", found.first, ""));
  if (found.drift.noticed())
    sentences.push_back(slower_in_words("trials", "became", found.drift, " from the first third of all to the last"));
  if (found.position.noticed())
    sentences.push_back(slower_in_words("trials late in a round", "were", found.position, " than early ones"));
  return sentences;
}

}  // namespace freshet::tool
