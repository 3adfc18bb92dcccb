#include "tool/analysis/option_effects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet::tool {
namespace {

template <typename Value>
std::optional<double> median_of(const candidate& entry, std::optional<Value> trial_result::*figure) {
  std::vector<double> values = collect(usable_samples(entry), figure);
  return values.empty() ? std::nullopt : std::optional{median(std::move(values))};
}

// Plans that have all but one option in common.
struct equal_rest {
  trial_plan rest;
  std::vector<std::pair<std::string, const candidate*>> by_value;

  [[nodiscard]] const candidate* find(const std::string& value) const {
    const auto at = std::ranges::find(by_value, value, &std::pair<std::string, const candidate*>::first);
    return at == by_value.end() ? nullptr : at->second;
  }
};

std::vector<equal_rest> group_by_rest(std::span<const candidate> candidates, std::string_view option) {
  std::vector<equal_rest> groups;
  for (const candidate& each : candidates) {
    if (count_usable(each) == 0) continue;
    trial_plan rest = without(each.plan, option);
    auto at = std::ranges::find(groups, rest, &equal_rest::rest);
    if (at == groups.end()) at = groups.insert(groups.end(), {std::move(rest), {}});
    at->by_value.emplace_back(value_of(each.plan, option), &each);
  }
  return groups;
}

std::vector<std::string> list_values(std::span<const candidate> candidates, std::string_view option) {
  std::vector<std::string> values;
  for (const candidate& each : candidates)
    if (const std::string value = value_of(each.plan, option); std::ranges::find(values, value) == values.end())
      values.push_back(value);
  const std::string usual = value_of({}, option);
  std::stable_partition(values.begin(), values.end(), [&](const std::string& value) { return value == usual; });
  return values;
}

option_cell compare_cell(const equal_rest& group, const candidate& first, const candidate& second,
                         const comparison_rules& rules) {
  return {.plan = describe(group.rest),
          .against = compare(second, first, rules),
          .extents = {median_of(first, &trial_result::extents), median_of(second, &trial_result::extents)},
          .cold_read = {median_of(first, &trial_result::cold_read), median_of(second, &trial_result::cold_read)}};
}

option_effect compare_values(const std::vector<equal_rest>& groups, option_effect effect,
                             const comparison_rules& rules) {
  double logarithms = 0;
  for (const equal_rest& group : groups) {
    const candidate* const first = group.find(effect.base);
    const candidate* const second = group.find(effect.value);
    if (first == nullptr || second == nullptr) continue;
    effect.cells.push_back(compare_cell(group, *first, *second, rules));
    logarithms += std::log(effect.cells.back().against.ratio.value);
  }
  if (!effect.cells.empty()) effect.ratio = std::exp(logarithms / static_cast<double>(effect.cells.size()));
  return effect;
}

}  // namespace

std::vector<option_effect> find_option_effects(std::span<const candidate> candidates) {
  const comparison_rules rules{.noise = estimate_noise(candidates)};
  std::vector<option_effect> effects;
  for (const std::string& option : compared_options()) {
    const std::vector<std::string> values = list_values(candidates, option);
    const std::vector<equal_rest> groups = group_by_rest(candidates, option);
    for (std::size_t other = 1; other < values.size(); ++other) {
      option_effect effect = compare_values(
          groups, {.option = option, .value = values[other], .base = values.front(), .cells = {}}, rules);
      if (!effect.cells.empty()) effects.push_back(std::move(effect));
    }
  }
  return effects;
}

}  // namespace freshet::tool
