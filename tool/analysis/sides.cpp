#include "tool/analysis/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tool/base/json_output.hpp"
#include "tool/search/reasons.hpp"
#include "tool/search/significance.hpp"

namespace freshet::tool {
namespace {

// With one place for all, trials of different places fall into one group.
std::vector<run> without_places(std::vector<run> runs) {
  for (run& each : runs) each.store = each.env.machine = each.env.file_system = each.env.file_system_key = {};
  return runs;
}

bool is_compared(const report_group& group) {
  return group.role == group_role::contest || group.has_lines() || group.role == group_role::generator;
}

// The part of a plan that methods may have in common: all but the way of writing.
std::string describe_rest(const report_row& row) {
  nlohmann::json plan = row.plan;
  if (!plan.is_object()) return {};
  for (const char* const way : {"seed", "block", "depth", "buffer"}) plan.erase(way);
  std::erase_if(plan.get_ref<nlohmann::json::object_t&>(),
                [&](const auto& option) { return option.second == row.method || option.second == "auto"; });
  return to_text(plan);
}

// All of a plan but its seed, and what pair_rows() looks at.
std::string describe_other_options(const report_row& row) {
  nlohmann::json plan = row.plan;
  if (!plan.is_object()) return {};
  for (const char* const own : {"seed", "block", "depth"}) plan.erase(own);
  return to_text(plan);
}

std::string describe_task_of(const report_row& row, std::size_t number, matching how) {
  if (how == matching::plans) return std::to_string(number);
  return how == matching::methods ? describe_rest(row) : describe_other_options(row);
}

// A row's trials on one side.
struct side_row {
  std::size_t row = 0;
  candidate entry;
};

using rows_of_sides = std::array<std::vector<side_row>, 2>;

// Whether the sides have a value of that setting in common.
template <typename Setting>
bool share_any(const rows_of_sides& sides, Setting setting) {
  return std::ranges::any_of(sides[0], [&](const side_row& first) {
    return std::ranges::any_of(
        sides[1], [&](const side_row& second) { return first.entry.plan.*setting == second.entry.plan.*setting; });
  });
}

// The pairs of rows to compare: those with the same settings, as far as both sides have some in common; of several of
// one side, the fastest.
std::map<std::string, std::array<const side_row*, 2>> pair_rows(const rows_of_sides& sides) {
  const bool by_block = share_any(sides, &trial_plan::block);
  const bool by_depth = share_any(sides, &trial_plan::depth);
  std::map<std::string, std::array<const side_row*, 2>> pairs;
  for (const std::size_t side : {0U, 1U})
    for (const side_row& each : sides.at(side)) {
      const trial_plan& plan = each.entry.plan;
      const side_row*& best =
          pairs[fmt::format("{} {}", by_block ? plan.block : 0, by_depth ? plan.depth : 0)].at(side);
      if (best == nullptr || seconds_per_gb(each.entry) < seconds_per_gb(best->entry)) best = &each;
    }
  return pairs;
}

std::vector<double> collect_seconds(const candidate& entry, metric which) {
  return collect(usable_samples(entry), [&](const trial_result* trial) { return trial->seconds_per_gb_by(which); });
}

double rank_significance(const candidate& first, const candidate& second, metric which) {
  const std::vector<pairing> rounds = pair_figures(
      find_shared_trials(first, second), [&](const trial_result& trial) { return trial.seconds_per_gb_by(which); });
  if (rounds.size() > 1) return sign_test(rounds).significance;
  return mann_whitney(collect_seconds(first, which), collect_seconds(second, which)).significance;
}

// Takes off the time for which others had the processors. Something is left of all times.
candidate without_waits(candidate entry) {
  constexpr double most = 0.99;  // of the time to close
  for (trial_result& trial : entry.trials) {
    const double waited = std::min(trial.cpu_waited.value_or(0), most * trial.seconds_to_close);
    trial.seconds_to_close -= waited;
    trial.seconds_to_disk -= waited;
  }
  return entry;
}

times_of_sides compare_times(const candidate& first, const candidate& second, const comparison_rules& rules) {
  return {.seconds_per_gb = {collect_seconds(first, rules.which), collect_seconds(second, rules.which)},
          .against = compare(second, first, rules),
          .significance = rank_significance(second, first, rules.which)};
}

matched_plan compare_rows(const report_group& group, const std::array<const side_row*, 2>& pair,
                          const comparison_rules& rules) {
  matched_plan plan{
      .workload = group.workload, .measured_class = group.measured_class, .size = group.size, .variant = group.variant};
  for (const std::size_t side : {0U, 1U}) {
    const candidate& entry = pair.at(side)->entry;
    plan.labels.at(side) = group.rows[pair.at(side)->row].label;
    plan.cpu_per_gb.at(side) = cpu_per_gb(entry);
  }
  plan.task = to_text(group.rows[pair[0]->row].plan) + to_text(group.rows[pair[1]->row].plan);
  plan.whole = compare_times(pair[0]->entry, pair[1]->entry, rules);
  plan.own = compare_times(without_waits(pair[0]->entry), without_waits(pair[1]->entry), rules);
  plan.seconds_per_gb = {plan.whole.seconds_per_gb.earlier, plan.whole.seconds_per_gb.later};
  plan.against = plan.whole.against;
  plan.significance = plan.whole.significance;
  return plan;
}

// What all plans together say. Each significance is corrected for the others.
void add_summary(matched_plans& all) {
  const std::vector<double> corrected = holm(collect(all.common, &matched_plan::significance));
  std::vector<sample_pair> kinds;
  double logarithms = 0;
  for (std::size_t i = 0; i < all.common.size(); ++i) {
    matched_plan& plan = all.common[i];
    plan.significance = corrected[i];
    logarithms += std::log(plan.against.ratio.value);
    kinds.push_back({plan.seconds_per_gb[0], plan.seconds_per_gb[1]});
  }
  if (!kinds.empty()) all.overall = std::exp(logarithms / static_cast<double>(kinds.size()));
  all.overall_significance = common_change(kinds).significance;
  const bool paired = std::ranges::any_of(all.common, [](const matched_plan& plan) { return plan.against.paired; });
  all.trials_needed = count_trials_needed(kinds.size(), paired);
}

}  // namespace

void forget_option(record& stored, std::string_view option) {
  stored.figures.plan = without(std::move(stored.figures.plan), option);
  const nlohmann::json same = stored.figures.plan;
  if (!stored.plan.is_object()) return;
  std::vector<std::string_view> keys{"size_ahead"};
  each_axis([&](const auto& axis) {
    if (!axis.label.empty()) keys.push_back(axis.key);
  });
  for (const std::string_view key : keys) {
    if (!same.contains(key))
      stored.plan.erase(key);
    else if (stored.plan.contains(key))
      stored.plan[key] = same[key];
  }
}

side_matcher::side_matcher(const std::vector<run>& runs, task_sizes sizes, bool across_places)
    : groups_{across_places ? without_places(runs) : runs, std::move(sizes)} {}

void side_matcher::add(std::size_t side, record&& stored, std::size_t run, metric which) {
  trial_result& figures = stored.figures;
  if (figures.is_usable() && figures.seconds_per_gb_by(which) <= 0) {
    figures.validity = trial_validity::invalid;
    figures.reasons.insert(figures.reasons.begin(),
                           fmt::format("the compared time was not measured ({})", to_string(which)));
  }
  const auto [group, row] = groups_.add(std::move(stored), run);
  if (sides_.size() <= group) sides_.resize(group + 1);
  if (sides_[group].size() <= row) sides_[group].resize(row + 1);
  sides_[group][row].push_back(side);
}

candidate side_matcher::trials_of(std::size_t side, std::size_t group, std::size_t row) const {
  const candidate& all = groups_.all()[group].candidates[row];
  candidate some{.plan = all.plan, .is_baseline = all.is_baseline};
  for (std::size_t i = 0; i < all.trials.size(); ++i)
    if (sides_[group][row][i] == side) some.trials.push_back(all.trials[i]);
  return some;
}

void side_matcher::match_group(std::size_t number, matching how, metric which, matched_plans& all) const {
  const report_group& group = groups_.all()[number];
  std::map<std::string, rows_of_sides> tasks;
  for (std::size_t row = 0; row < group.rows.size(); ++row)
    for (const std::size_t side : {0U, 1U}) {
      candidate entry = trials_of(side, number, row);
      all.trials.at(side) += entry.trials.size();
      for (const trial_result& trial : entry.trials)
        if (!trial.is_usable()) ++all.left_out[first_reason(trial)];
      if (count_usable(entry) == 0) continue;
      all.classes.at(side).insert(group.measured_class);
      all.met_slow_memory.at(side).insert(entry.trials.front().met_slow_memory);
      tasks[describe_task_of(group.rows[row], row, how)].at(side).push_back({row, std::move(entry)});
    }
  const comparison_rules rules{.noise = estimate_noise(group.candidates, which), .which = which};
  for (const auto& [task, sides] : tasks)
    for (const auto& [settings, pair] : pair_rows(sides)) {
      if (pair[0] == nullptr || pair[1] == nullptr) {
        ++all.unmatched.at(pair[0] == nullptr ? 1 : 0);
        continue;
      }
      matched_plan& plan = all.common.emplace_back(compare_rows(group, pair, rules));
      if (groups_.places().size() > 1) plan.place = groups_.places()[group.place].name;
    }
}

matched_plans side_matcher::match(matching how, metric which) const {
  matched_plans all;
  for (std::size_t number = 0; number < groups_.all().size(); ++number)
    if (is_compared(groups_.all()[number])) match_group(number, how, which, all);
  add_summary(all);
  return all;
}

}  // namespace freshet::tool
