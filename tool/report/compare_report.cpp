#include "tool/report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

colour choose_colour(difference result) {
  switch (result) {
    case difference::better:
      return colour::good;
    case difference::worse:
      return colour::bad;
    case difference::unclear:
      return colour::doubtful;
    case difference::same:
      break;
  }
  return colour::none;
}

// Converts seconds per GB into the figure that people compare.
double convert(double seconds_per_gb, metric which) {
  return which == metric::cpu ? seconds_per_gb : 1e3 / seconds_per_gb;
}

std::string_view unit(metric which) { return which == metric::cpu ? "CPU s/GB" : "MB/s"; }

std::string name_of(const matched_plan& plan) {
  return plan.labels[0] == plan.labels[1] ? plan.labels[0] : plan.labels[0] + " : " + plan.labels[1];
}

std::string format_significance(const sample_difference& against) {
  return against.significance < 0.001 ? "<0.001" : fmt::format("{:.3f}", against.significance);
}

std::string heading(const matched_plan& plan) {
  return fmt::format("== {}, {}, files of {}{}", to_string(plan.measured_class), plan.workload, format_size(plan.size),
                     plan.place.empty() ? "" : ", " + plan.place);
}

bool same_task(const matched_plan& one, const matched_plan& other) {
  return std::tie(one.measured_class, one.workload, one.size, one.place) ==
         std::tie(other.measured_class, other.workload, other.size, other.place);
}

using indices = std::vector<std::size_t>;

// Groups the plans of one task.
std::vector<indices> group_by_task(const std::vector<matched_plan>& plans) {
  std::vector<indices> tasks;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto same =
        std::ranges::find_if(tasks, [&](const indices& task) { return same_task(plans[task.front()], plans[i]); });
    if (same == tasks.end())
      tasks.push_back({i});
    else
      same->push_back(i);
  }
  return tasks;
}

std::string format_table(const compared_sides& both, const indices& task, const screen& look) {
  using enum table::side;
  table rows{{{"", left, true}, {"A"}, {"B"}, {"time"}, {"range"}, {"p"}, {"trials"}, {"B is", left}}};
  for (const std::size_t i : task) {
    const matched_plan& plan = both.plans.common[i];
    const sample_difference& against = both.differences.each[i];
    const auto side = [&](const std::vector<double>& figures) {
      return format_figure(convert(median(figures), both.which));
    };
    rows.add({name_of(plan), side(plan.figures.earlier), side(plan.figures.later),
              fmt::format("{:.2f}", against.ratio.value),
              against.ratio.count > 1 ? format_range(against.ratio.range) : "-", format_significance(against),
              fmt::format("{}, {}", plan.figures.earlier.size(), plan.figures.later.size()),
              painted(to_string(against.result), choose_colour(against.result), look)});
  }
  return heading(both.plans.common[task.front()]) + "\n" + rows.text(look.width);
}

std::string format_summary(const compared_sides& both) {
  std::array<std::size_t, 4> times{};
  bool few = false;
  for (std::size_t i = 0; i < both.differences.each.size(); ++i) {
    ++times.at(static_cast<std::size_t>(both.differences.each[i].result));
    const sample_pair& figures = both.plans.common[i].figures;
    few = few || (both.differences.each[i].result == difference::unclear &&
                  std::min(figures.earlier.size(), figures.later.size()) < both.differences.trials_needed);
  }
  const auto count = [&](difference result) { return times.at(static_cast<std::size_t>(result)); };
  const change& all = both.differences.overall;
  std::string text = wrapped(fmt::format(
      "Of {} in both, B is better in {}, worse in {}, the same within 3 % in {}; {} cannot be told apart. Over all "
      "plans, B takes {:.2f} times as long ({}).",
      format_count(both.differences.each.size(), "plan"), count(difference::better), count(difference::worse),
      count(difference::same), count(difference::unclear), all.ratio, format_p_value(all.significance)));
  if (few)
    text +=
        wrapped(fmt::format("With {} at once, at least {} trials of each side are needed to tell them apart.",
                            format_count(both.differences.each.size(), "comparison"), both.differences.trials_needed));
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

nlohmann::json make_json(const matched_plan& plan, const sample_difference& against) {
  return {{"class", to_string(plan.measured_class)},
          {"workload", plan.workload},
          {"size", plan.size},
          {"place", plan.place},
          {"labels", plan.labels},
          {"trials", {plan.figures.earlier.size(), plan.figures.later.size()}},
          {"seconds_per_gb", {median(plan.figures.earlier), median(plan.figures.later)}},
          {"ratio", against.ratio.value},
          {"interval", make_json(against.ratio.range)},
          {"confidence", against.ratio.confidence},
          {"significance", against.significance},
          {"result", to_string(against.result)}};
}

}  // namespace

std::string format_comparison(const compared_sides& both, const screen& look) {
  std::string text = wrapped(fmt::format("A: {}, {} trials", both.names[0], both.plans.trials[0])) +
                     wrapped(fmt::format("B: {}, {} trials", both.names[1], both.plans.trials[1]));
  for (const std::string& each : both.changes) text += wrapped("Not the same: " + each);
  text += fmt::format("{}; time: how many times as long B takes as A\n", unit(both.which));
  for (const indices& task : group_by_task(both.plans.common)) text += "\n" + format_table(both, task, look);
  text += "\n" + format_summary(both);
  if (std::ranges::none_of(both.plans.common, [](const matched_plan& plan) { return plan.figures.is_paired(); }))
    text += wrapped("No round has trials of both, so a drift of the machine between them would look like a change.");
  return text + format_remainder(both);
}

nlohmann::json make_json(const compared_sides& both) {
  nlohmann::json plans = nlohmann::json::array();
  for (std::size_t i = 0; i < both.plans.common.size(); ++i)
    plans.push_back(make_json(both.plans.common[i], both.differences.each[i]));
  return {
      {"first", both.names[0]},
      {"second", both.names[1]},
      {"metric", to_string(both.which)},
      {"changes", both.changes},
      {"plans", plans},
      {"overall", {{"ratio", both.differences.overall.ratio}, {"significance", both.differences.overall.significance}}},
      {"trials_needed", both.differences.trials_needed},
      {"trials", both.plans.trials},
      {"unmatched", both.plans.unmatched},
      {"left_out", both.plans.left_out}};
}

}  // namespace freshet::tool
