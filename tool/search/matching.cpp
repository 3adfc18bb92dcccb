#include "tool/search/matching.hpp"

#include <fmt/format.h>

#include "tool/base/json_output.hpp"
#include "tool/search/ranking.hpp"
#include "tool/search/statistics.hpp"
#include "tool/search/usable_samples.hpp"

namespace freshet::tool {
namespace {

double read_seconds(const trial_result& trial, metric which) {
  switch (which) {
    case metric::close:
      return trial.seconds_to_close;
    case metric::disk:
      return trial.seconds_to_disk;
    case metric::cpu:
      return trial.cpu_whole;
    case metric::ranking:
      break;
  }
  return trial.ranking_seconds();
}

// The part of the plan that repetitions have in common. If methods are compared, without the way of writing.
std::string describe_common_plan(const record& stored, matching how) {
  nlohmann::json plan = stored.plan;
  if (!plan.is_object()) return {};
  plan.erase("seed");
  if (how == matching::methods) {
    for (const char* const way : {"block", "depth", "buffer"}) plan.erase(way);
    std::erase_if(plan.get_ref<nlohmann::json::object_t&>(),
                  [&](const auto& option) { return option.second == stored.method || option.second == "auto"; });
  }
  return to_text(plan);
}

// The values of a setting that both sides have.
template <typename Plans, typename Setting>
auto shared(const std::array<Plans, 2>& sides, Setting setting) {
  std::array<std::set<decltype(setting(sides[0].begin()->second))>, 2> values;
  for (const std::size_t side : {0U, 1U})
    for (const auto& [key, plan] : sides[side]) values[side].insert(setting(plan));
  std::erase_if(values[0], [&](const auto& value) { return !values[1].contains(value); });
  return values[0];
}

}  // namespace

bool is_warm_up(const record& stored) { return stored.more.is_object() && stored.more.value("warm_up", false); }
bool is_program(const record& stored) { return stored.more.is_object() && stored.more.value("program", false); }
bool is_baseline(const record& stored) { return stored.more.is_object() && stored.more.value("baseline", false); }

bool is_diagnosis(const record& stored) { return stored.more.is_object() && stored.more.value("diagnosis", false); }

void plan_matcher::add(std::size_t side, const record& stored, const std::string& place) {
  if (is_warm_up(stored) || is_diagnosis(stored) || is_program(stored)) return;
  ++trials_.at(side);
  const trial_result& figures = stored.figures;
  if (!figures.is_usable()) {
    ++left_out_[first_reason(figures)];
    return;
  }
  const double seconds = read_seconds(figures, which_);
  if (seconds <= 0) {
    ++left_out_[fmt::format("the compared time was not measured ({})", to_string(which_))];
    return;
  }
  classes_[side].insert(figures.plan.measured_class);
  const std::string rest = describe_common_plan(stored, how_);
  const std::string common =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", place, stored.workload, static_cast<int>(figures.plan.measured_class),
                  figures.plan.size, figures.plan.jobs, how_ == matching::methods ? rest : "");
  task& both = tasks_[common];
  both.place = place;
  both.workload = stored.workload;
  both.measured_class = figures.plan.measured_class;
  both.size = figures.plan.size;
  const std::string own = how_ == matching::methods ? stored.label : stored.method + '\n' + rest;
  plan_trials& plan = both.sides[side][own];
  plan.method = stored.method;
  plan.label = stored.label;
  plan.block = figures.plan.block;
  plan.depth = figures.plan.depth;
  plan.figures.push_back(seconds / static_cast<double>(figures.bytes) * 1e9);
  plan.of_round[{stored.run, figures.round}] = plan.figures.back();
}

std::vector<pairing> plan_matcher::pair_rounds(const plan_trials& first, const plan_trials& second) {
  std::vector<pairing> pairs;
  for (const auto& [round, figure] : first.of_round)
    if (const auto other = second.of_round.find(round); other != second.of_round.end())
      pairs.push_back({figure, other->second});
  return pairs;
}

void plan_matcher::match(const task& both, matched_plans& matched) const {
  const auto blocks = shared(both.sides, [](const plan_trials& plan) { return plan.block; });
  const auto depths = shared(both.sides, [](const plan_trials& plan) { return plan.depth; });
  // The fastest of each side's plans that have the same key.
  std::array<std::map<std::string, const plan_trials*>, 2> chosen;
  for (const std::size_t side : {0U, 1U}) {
    for (const auto& [own, plan] : both.sides[side]) {
      const std::string key = how_ == matching::plans ? own
                                                      : fmt::format("{} {}", blocks.empty() ? 0 : plan.block,
                                                                    depths.empty() ? 0 : plan.depth);
      const plan_trials*& best = chosen[side][key];
      if (best == nullptr || median(plan.figures) < median(best->figures)) best = &plan;
    }
  }
  for (const auto& [key, first] : chosen[0]) {
    const auto second = chosen[1].find(key);
    if (second == chosen[1].end()) {
      ++matched.unmatched[0];
      continue;
    }
    matched.common.push_back(
        {.place = both.place,
         .workload = both.workload,
         .measured_class = both.measured_class,
         .size = both.size,
         .labels = {first->label, second->second->label},
         .figures = {first->figures, second->second->figures, pair_rounds(*second->second, *first)}});
  }
  for (const auto& [key, plan] : chosen[1])
    if (!chosen[0].contains(key)) ++matched.unmatched[1];
}

matched_plans plan_matcher::result() const {
  matched_plans matched;
  matched.trials = trials_;
  matched.left_out = left_out_;
  for (const std::size_t side : {0U, 1U}) matched.classes[side].assign(classes_[side].begin(), classes_[side].end());
  for (const auto& [key, both] : tasks_) match(both, matched);
  return matched;
}

std::string_view to_string(metric which) {
  static constexpr std::array<std::string_view, 4> names{"ranking", "close", "disk", "cpu"};
  return names.at(static_cast<std::size_t>(which));
}

}  // namespace freshet::tool
