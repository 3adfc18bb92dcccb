#include "tool/analysis/gate.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "tool/search/significance.hpp"

namespace freshet::tool {
namespace {

// A slowdown that no plan may leave possible and yet pass.
constexpr double largest_doubt = 0.25;

using states = std::vector<const matched_plan*>;

// The plans that differ in nothing but the state of memory.
std::vector<states> group_states(const std::vector<matched_plan>& plans) {
  const auto key_of = [](const matched_plan& plan) {
    return std::tie(plan.task, plan.labels, plan.place, plan.workload, plan.measured_class, plan.size);
  };
  std::vector<states> groups;
  for (const matched_plan& plan : plans) {
    const auto is_same = [&](const states& group) { return key_of(*group.front()) == key_of(plan); };
    auto group = std::ranges::find_if(groups, is_same);
    if (group == groups.end()) group = groups.insert(group, states{});
    group->push_back(&plan);
  }
  return groups;
}

std::size_t count_trials(const matched_plan& plan) {
  return plan.seconds_per_gb[0].size() + plan.seconds_per_gb[1].size();
}

// Of one state, its comparison; of several, that of all of them.
judged_times compare_states(const states& group, const times_of_sides matched_plan::*times) {
  const matched_plan& usual =
      **std::ranges::max_element(group, {}, [](const matched_plan* each) { return count_trials(*each); });
  const times_of_sides& of_usual = usual.*times;
  if (group.size() == 1 || of_usual.against.paired)
    return {.against = of_usual.against, .significance = of_usual.significance};
  std::vector<sample_pair> kinds;
  for (const matched_plan* each : group) kinds.push_back((each->*times).seconds_per_gb);
  return {.against = make_comparison(estimate_ratio(kinds)), .significance = mann_whitney(kinds).significance};
}

// Corrects all significances for the number of plans, and judges each.
void judge_times(std::vector<judged_plan>& all, judged_times judged_plan::*times, const regression_rules& rules) {
  const std::vector<double> corrected =
      holm(collect(all, [&](const judged_plan& plan) { return (plan.*times).significance; }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    judged_times& judged = all[i].*times;
    judged.significance = corrected[i];
    judged.result = judge_regression(judged.against, rules);
    // Of many plans that are compared at once, some look worse by chance.
    if (judged.result.state == regression_state::worse && judged.significance >= significance_limit)
      judged.result = {regression_state::open, 1};
  }
}

}  // namespace

std::vector<judged_plan> judge_plans(const matched_plans& plans, double tolerated) {
  std::vector<judged_plan> all;
  for (const states& group : group_states(plans.common))
    all.push_back({.name = group.front()->labels[1],
                   .own = compare_states(group, &matched_plan::own),
                   .whole = compare_states(group, &matched_plan::whole)});
  const bool paired = std::ranges::any_of(all, [](const judged_plan& plan) { return plan.whole.against.paired; });
  const std::size_t needed = std::max<std::size_t>(count_trials_needed(all.size(), paired), rounds_to_decide);
  for (const auto times : {&judged_plan::own, &judged_plan::whole})
    judge_times(all, times, {tolerated, largest_doubt, needed});
  return all;
}

}  // namespace freshet::tool
