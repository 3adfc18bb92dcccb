#include "tool/search/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tool/search/left_out.hpp"
#include "tool/search/ranking.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

namespace {

double seconds_of(const trial_result& made, metric which) {
  switch (which) {
    case metric::close:
      return made.seconds_to_close;
    case metric::disk:
      return made.seconds_to_disk;
    case metric::cpu:
      return made.cpu_whole;
    case metric::ranking:
      break;
  }
  return made.ranking_seconds();
}

/// What repetitions have in common, whatever their bytes; with methods, what is left beside the way of writing.
std::string rest_of_plan(const record& made, matching how) {
  nlohmann::json plan = made.plan;
  if (!plan.is_object()) return {};
  plan.erase("seed");
  if (how == matching::methods) {
    for (const char* const way : {"block", "depth", "buffer"}) plan.erase(way);
    std::erase_if(plan.get_ref<nlohmann::json::object_t&>(),
                  [&](const auto& option) { return option.second == made.method || option.second == "auto"; });
  }
  return plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The values of a setting that both sides have.
template <typename Plans, typename Setting>
auto shared(const std::array<Plans, 2>& sides, Setting setting) {
  std::array<std::set<decltype(setting(sides[0].begin()->second))>, 2> values;
  for (const std::size_t side : {0U, 1U})
    for (const auto& [key, plan] : sides[side]) values[side].insert(setting(plan));
  std::erase_if(values[0], [&](const auto& value) { return !values[1].contains(value); });
  return values[0];
}

}  // namespace

bool is_warm_up(const record& made) { return made.more.is_object() && made.more.value("warm_up", false); }

void plan_matcher::add(std::size_t side, const record& made, const std::string& place) {
  if (is_warm_up(made)) return;
  ++trials_.at(side);
  const trial_result& figures = made.figures;
  if (!counts(figures)) {
    ++left_out_[reason_of(figures)];
    return;
  }
  const double seconds = seconds_of(figures, which_);
  if (seconds <= 0) {
    ++left_out_[fmt::format("no time was measured of what is compared ({})", to_string(which_))];
    return;
  }
  classes_[side][figures.plan.what] = true;
  const std::string rest = rest_of_plan(made, how_);
  const std::string common =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", place, made.workload, static_cast<int>(figures.plan.what),
                  figures.plan.size, figures.plan.jobs, how_ == matching::methods ? rest : "");
  task& both = tasks_[common];
  both.place = place;
  both.workload = made.workload;
  both.what = figures.plan.what;
  both.size = figures.plan.size;
  const std::string own = how_ == matching::methods ? made.label : made.method + '\n' + rest;
  plan_trials& plan = both.sides[side][own];
  plan.method = made.method;
  plan.label = made.label;
  plan.block = figures.plan.block;
  plan.depth = figures.plan.depth;
  plan.figures.push_back(seconds / static_cast<double>(figures.bytes) * 1e9);
}

void plan_matcher::match(const task& both, matched_plans& found) const {
  const auto blocks = shared(both.sides, [](const plan_trials& plan) { return plan.block; });
  const auto depths = shared(both.sides, [](const plan_trials& plan) { return plan.depth; });
  // Of each side's plans that come to the same key, the fastest.
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
      ++found.unmatched[0];
      continue;
    }
    found.common.push_back({.place = both.place,
                            .workload = both.workload,
                            .what = both.what,
                            .size = both.size,
                            .labels = {first->label, second->second->label},
                            .figures = {first->figures, second->second->figures}});
  }
  for (const auto& [key, plan] : chosen[1])
    if (!chosen[0].contains(key)) ++found.unmatched[1];
}

matched_plans plan_matcher::result() const {
  matched_plans found;
  found.trials = trials_;
  found.left_out = left_out_;
  for (const std::size_t side : {0U, 1U})
    for (const auto& [what, seen] : classes_[side]) found.classes[side].push_back(what);
  for (const auto& [key, both] : tasks_) match(both, found);
  return found;
}

std::string_view to_string(metric which) {
  static constexpr std::array<std::string_view, 4> names{"ranking", "close", "disk", "cpu"};
  return names.at(static_cast<std::size_t>(which));
}

}  // namespace freshet::tool
