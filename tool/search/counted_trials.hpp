// Which trials count in figures, and why others do not: one rule for the terminal, JSON, the page, exports and
// searches.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr unsigned rounds_to_decide = 6;       ///< fewer shared rounds have no interval
inline constexpr std::size_t enough_of_one_size = 3;  ///< trials, before those of other sizes are left out

/// Why the trial counts in no figure, whatever others there are: it is invalid, or moved no byte. Empty if it may
/// count.
[[nodiscard]] std::vector<std::string> find_exclusion_reasons(const trial_result& figures);

[[nodiscard]] inline const trial_result& figures_of(const trial_result& trial) noexcept { return trial; }
/// Records and the trials of peers and sweeps have their figures as a member.
template <typename Item>
requires requires(const Item& item) {
  { item.figures } -> std::convertible_to<const trial_result&>;
}
[[nodiscard]] const trial_result& figures_of(const Item& item) noexcept { return item.figures; }

/// Leaves those of `items` that nothing disturbed, if there are rounds_to_decide of them: fewer say less than all do.
template <typename Item, typename Predicate>
void keep_undisturbed(std::vector<Item>& items, Predicate is_disturbed) {
  const auto left = static_cast<std::size_t>(std::ranges::count_if(items, std::not_fn(is_disturbed)));
  if (left >= rounds_to_decide) std::erase_if(items, is_disturbed);
}

/// Leaves those that do not screen, if there are at least `enough` of them.
template <typename Item, typename Predicate>
void keep_ranking(std::vector<Item>& items, std::size_t enough, Predicate screens) {
  const auto screening = static_cast<std::size_t>(std::ranges::count_if(items, screens));
  if (items.size() - screening >= enough) std::erase_if(items, screens);
}

/// Leaves those of the largest size that at least enough_of_one_size of them have, if there is one.
template <typename Item, typename Size>
void keep_one_size(std::vector<Item>& items, Size size_of) {
  std::map<std::uint64_t, std::size_t, std::greater<>> count;
  for (const Item& item : items) ++count[size_of(item)];
  const auto common = std::ranges::find_if(count, [](const auto& each) { return each.second >= enough_of_one_size; });
  if (common == count.end()) return;
  std::erase_if(items, [&](const Item& item) { return size_of(item) != common->first; });
}

/// The trials of a plan: those that its figures are drawn from, and the others with the reasons.
template <typename Item>
struct sorted_trials {
  std::vector<const Item*> counted = {};
  std::vector<std::pair<const Item*, std::vector<std::string>>> left_out = {};
};

/// Why a trial that may count does not where `counted` does.
[[nodiscard]] std::vector<std::string> explain_choice(const trial_result& left_out, const trial_result& counted);

/// Sorts the trials of one plan, each of which has figures_of() and find_exclusion_reasons(). Of those that may count,
/// these do: those that do not screen, if there are any; of these those that nothing disturbed, if there are
/// rounds_to_decide; and of these those of the largest size of which there are enough_of_one_size, or all if there is
/// none.
template <typename Item>
[[nodiscard]] sorted_trials<Item> sort_trials(const std::vector<const Item*>& trials) {
  sorted_trials<Item> sorted;
  for (const Item* each : trials) {
    if (std::vector<std::string> reasons = find_exclusion_reasons(*each); !reasons.empty())
      sorted.left_out.emplace_back(each, std::move(reasons));
    else
      sorted.counted.push_back(each);
  }
  const std::vector<const Item*> candidates = sorted.counted;
  keep_ranking(sorted.counted, 1, [](const Item* each) { return figures_of(*each).screening; });
  keep_undisturbed(sorted.counted, [](const Item* each) { return figures_of(*each).is_disturbed(); });
  keep_one_size(sorted.counted, [](const Item* each) { return figures_of(*each).bytes; });
  for (const Item* each : candidates)
    if (std::ranges::find(sorted.counted, each) == sorted.counted.end())
      sorted.left_out.emplace_back(each, explain_choice(figures_of(*each), figures_of(*sorted.counted.front())));
  return sorted;
}
template <typename Item>
[[nodiscard]] sorted_trials<Item> sort_trials(const std::vector<Item>& trials) {
  std::vector<const Item*> all;
  for (const Item& each : trials) all.push_back(&each);
  return sort_trials(all);
}

/// The number of trials by the first reason why they were left out.
template <typename Item>
[[nodiscard]] std::map<std::string, std::size_t> count_reasons(const sorted_trials<Item>& sorted) {
  std::map<std::string, std::size_t> count;
  for (const auto& [trial, reasons] : sorted.left_out) ++count[reasons.front()];
  return count;
}

}  // namespace freshet::tool
