#include "tool/report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/significance.hpp"

namespace freshet::tool {
namespace {

colour choose_colour(const comparison& against) {
  if (against.result == outcome::tie) return colour::none;
  if (!is_certain(against)) return colour::doubtful;
  return against.result == outcome::better ? colour::good : colour::bad;
}

// Converts seconds per GB into the figure that people compare.
double convert(double seconds_per_gb, metric which) {
  return which == metric::cpu ? seconds_per_gb : 1e3 / seconds_per_gb;
}

std::string_view unit(metric which) { return which == metric::cpu ? "CPU s/GB" : "MB/s"; }

std::string name_of(const matched_plan& plan) {
  return plan.labels[0] == plan.labels[1] ? plan.labels[0] : plan.labels[0] + " : " + plan.labels[1];
}

std::string format_significance(const matched_plan& plan) {
  return plan.significance < 0.001 ? "<0.001" : fmt::format("{:.3f}", plan.significance);
}

std::string heading(const matched_plan& plan) {
  std::string text =
      fmt::format("== {}, {}, files of {}", to_string(plan.measured_class), plan.workload, format_size(plan.size));
  for (const std::string& more : {plan.variant, plan.place}) text += more.empty() ? "" : ", " + more;
  return text;
}

auto task_of(const matched_plan& plan) {
  return std::tie(plan.measured_class, plan.workload, plan.size, plan.variant, plan.place);
}

using indices = std::vector<std::size_t>;

// Groups the plans of one task.
std::vector<indices> group_by_task(const std::vector<matched_plan>& plans) {
  std::vector<indices> tasks;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto is_same = [&](const indices& task) { return task_of(plans[task.front()]) == task_of(plans[i]); };
    auto task = std::ranges::find_if(tasks, is_same);
    if (task == tasks.end()) task = tasks.insert(task, indices{});
    task->push_back(i);
  }
  return tasks;
}

std::string format_table(const compared_sides& both, const indices& task, const screen& look) {
  using enum table::side;
  table rows{{{"", left, true}, {"A"}, {"B"}, {"B is", left}, {"", left}, {"p"}, {"trials"}}};
  for (const std::size_t i : task) {
    const matched_plan& plan = both.plans.common[i];
    const auto side = [&](const std::vector<double>& figures) {
      return format_figure(median(collect(figures, [&](double each) { return convert(each, both.which); })));
    };
    rows.add({name_of(plan), side(plan.seconds_per_gb[0]), side(plan.seconds_per_gb[1]),
              format_gain(plan.against, both.which),
              painted(describe_result(plan.against, both.which), choose_colour(plan.against), look),
              format_significance(plan),
              fmt::format("{}, {}", plan.seconds_per_gb[0].size(), plan.seconds_per_gb[1].size())});
  }
  return heading(both.plans.common[task.front()]) + "\n" + rows.text(look.width);
}

std::string format_summary(const compared_sides& both) {
  const matched_plans& plans = both.plans;
  std::array<std::size_t, 4> times{};
  bool few = false;
  for (const matched_plan& plan : plans.common) {
    const bool is_certain_here = is_certain(plan.against);
    ++times.at(static_cast<std::size_t>(is_certain_here ? plan.against.result : outcome::undecided));
    few = few || (!is_certain_here && plan.against.ratio.count < plans.trials_needed);
  }
  comparison all_plans;
  all_plans.ratio.value = plans.overall;
  const auto count = [&](outcome result) { return times.at(static_cast<std::size_t>(result)); };
  const result_words& words = words_of(both.which);
  std::string text = wrapped(fmt::format(
      "Of {} in both, B is {} in {}, {} in {}, {} within {:.0f} % in {}; {} cannot be told apart. Over all "
      "plans, B is {} ({}).",
      format_count(plans.common.size(), "plan"), words.better, count(outcome::better), words.worse,
      count(outcome::worse), words.tie, usual_negligible_share * 100, count(outcome::tie), count(outcome::undecided),
      format_gain(all_plans, both.which), format_p_value(plans.overall_significance)));
  if (few)
    text += wrapped(fmt::format("With {} at once, at least {} trials of each side are needed to tell them apart.",
                                format_count(plans.common.size(), "comparison"), plans.trials_needed));
  return text;
}

std::string format_remainder(const compared_sides& both) {
  std::string text;
  for (const std::size_t side : {0U, 1U})
    if (both.plans.unmatched[side] != 0)
      text +=
          wrapped(fmt::format("Only in {}: {}", both.names[side], format_count(both.plans.unmatched[side], "plan")));
  return text + format_left_out(both.plans.left_out);
}

nlohmann::json make_json(const matched_plan& plan, metric which) {
  static constexpr std::array<std::string_view, 4> results{"better", "worse", "same", "cannot tell"};
  const outcome shown = is_certain(plan.against) ? plan.against.result : outcome::undecided;
  nlohmann::json all = plan.against;
  all.update({{"class", to_string(plan.measured_class)},
              {"workload", plan.workload},
              {"size", plan.size},
              {"special", plan.variant},
              {"place", plan.place},
              {"labels", plan.labels},
              {"trials", {plan.seconds_per_gb[0].size(), plan.seconds_per_gb[1].size()}},
              {"seconds_per_gb", {median(plan.seconds_per_gb[0]), median(plan.seconds_per_gb[1])}},
              {"cpu_seconds_per_gb", plan.cpu_per_gb},
              {"gain", format_gain(plan.against, which)},
              {"significance", plan.significance},
              {"own_time", plan.own.against},
              {"result", results.at(static_cast<std::size_t>(shown))}});
  return all;
}

}  // namespace

std::string format_comparison(const compared_sides& both, const screen& look) {
  std::string text = wrapped(fmt::format("A: {}, {} trials", both.names[0], both.plans.trials[0])) +
                     wrapped(fmt::format("B: {}, {} trials", both.names[1], both.plans.trials[1]));
  for (const std::string& each : both.changes) text += wrapped("Not the same: " + each);
  text += fmt::format("A, B: {}\n", unit(both.which));
  for (const indices& task : group_by_task(both.plans.common)) text += "\n" + format_table(both, task, look);
  text += "\n" + format_summary(both);
  if (std::ranges::none_of(both.plans.common, [](const matched_plan& plan) { return plan.against.paired; }))
    text += wrapped("No round has trials of both, so a drift of the machine between them would look like a change.");
  return text + format_remainder(both);
}

nlohmann::json make_json(const compared_sides& both) {
  const matched_plans& all = both.plans;
  return {{"first", both.names[0]},
          {"second", both.names[1]},
          {"metric", to_string(both.which)},
          {"changes", both.changes},
          {"plans", make_json_array(all.common, [&](const matched_plan& plan) { return make_json(plan, both.which); })},
          {"overall", {{"ratio", all.overall}, {"significance", all.overall_significance}}},
          {"trials_needed", all.trials_needed},
          {"trials", all.trials},
          {"unmatched", all.unmatched},
          {"left_out", all.left_out}};
}

}  // namespace freshet::tool
