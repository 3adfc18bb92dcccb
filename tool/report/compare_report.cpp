#include "tool/report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tool/base/size.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

colour paint_of(difference what) {
  switch (what) {
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

// Seconds per GB as what people compare.
double shown(double seconds_per_gb, metric which) {
  return which == metric::cpu ? seconds_per_gb : 1e3 / seconds_per_gb;
}

std::string_view unit_of(metric which) { return which == metric::cpu ? "CPU s/GB" : "MB/s"; }

std::string name_of(const matched_plan& plan) {
  return plan.labels[0] == plan.labels[1] ? plan.labels[0] : plan.labels[0] + " : " + plan.labels[1];
}

std::string significance_of(const sample_difference& found) {
  return found.significance < 0.001 ? "<0.001" : fmt::format("{:.3f}", found.significance);
}

std::string heading(const matched_plan& plan) {
  return fmt::format("== {}, {}, files of {}{}", to_string(plan.what), plan.workload, format_size(plan.size),
                     plan.place.empty() ? "" : ", " + plan.place);
}

bool same_task(const matched_plan& one, const matched_plan& other) {
  return std::tie(one.what, one.workload, one.size, one.place) ==
         std::tie(other.what, other.workload, other.size, other.place);
}

using indices = std::vector<std::size_t>;

// Those of one task, one after another.
std::vector<indices> by_task(const std::vector<matched_plan>& plans) {
  std::vector<indices> tasks;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto same =
        std::ranges::find_if(tasks, [&](const indices& task) { return same_task(plans[task.front()], plans[i]); });
    if (same == tasks.end()) {
      tasks.push_back({i});
    } else {
      same->push_back(i);
    }
  }
  return tasks;
}

std::string table_of(const compared_sides& both, const indices& task, const screen& look) {
  using enum table::side;
  table rows{{{"", left, true}, {"A"}, {"B"}, {"time"}, {"95 %"}, {"p"}, {"trials"}, {"B is", left}}};
  for (const std::size_t i : task) {
    const matched_plan& plan = both.plans.common[i];
    const sample_difference& found = both.found.each[i];
    const auto side = [&](const std::vector<double>& figures) {
      return format_figure(shown(median(figures), both.which));
    };
    rows.add({name_of(plan), side(plan.figures.earlier), side(plan.figures.later),
              fmt::format("{:.2f}", found.ratio.value),
              fmt::format("{:.2f}-{:.2f}", found.ratio.range.low, found.ratio.range.high), significance_of(found),
              fmt::format("{}, {}", plan.figures.earlier.size(), plan.figures.later.size()),
              painted(to_string(found.result), paint_of(found.result), look)});
  }
  return heading(both.plans.common[task.front()]) + "\n" + rows.text(look.width);
}

std::string summary(const compared_sides& both) {
  std::array<std::size_t, 4> times{};
  bool few = false;
  for (std::size_t i = 0; i < both.found.each.size(); ++i) {
    ++times.at(static_cast<std::size_t>(both.found.each[i].result));
    const then_and_now& figures = both.plans.common[i].figures;
    few = few || (both.found.each[i].result == difference::unclear &&
                  std::min(figures.earlier.size(), figures.later.size()) < both.found.trials_needed);
  }
  const auto count = [&](difference what) { return times.at(static_cast<std::size_t>(what)); };
  const change& all = both.found.overall;
  std::string text = wrapped(fmt::format(
      "Of {} plan{} in both, B is better in {}, worse in {}, the same within 3 % in {}; of {} it cannot be told. All "
      "together, B takes {:.2f} times as long ({}).",
      times[0] + times[1] + times[2] + times[3], both.found.each.size() == 1 ? "" : "s", count(difference::better),
      count(difference::worse), count(difference::same), count(difference::unclear), all.ratio,
      chance_in_words(all.significance)));
  if (few)
    text +=
        wrapped(fmt::format("With {} comparison{} at once, it takes at least {} trials of each side to tell.",
                            both.found.each.size(), both.found.each.size() == 1 ? "" : "s", both.found.trials_needed));
  return text;
}

std::string remainder(const compared_sides& both) {
  std::string text;
  for (const std::size_t side : {0U, 1U})
    if (both.plans.unmatched[side] != 0)
      text += wrapped(fmt::format("Only in {}: {} plan{}", both.names[side], both.plans.unmatched[side],
                                  both.plans.unmatched[side] == 1 ? "" : "s"));
  return text + left_out_in_words(both.plans.left_out);
}

nlohmann::json in_json(const matched_plan& plan, const sample_difference& found) {
  return {{"class", to_string(plan.what)},
          {"workload", plan.workload},
          {"size", plan.size},
          {"place", plan.place},
          {"labels", plan.labels},
          {"trials", {plan.figures.earlier.size(), plan.figures.later.size()}},
          {"seconds_per_gb", {median(plan.figures.earlier), median(plan.figures.later)}},
          {"ratio", found.ratio.value},
          {"interval", {found.ratio.range.low, found.ratio.range.high}},
          {"significance", found.significance},
          {"result", to_string(found.result)}};
}

}  // namespace

std::string compare_report(const compared_sides& both, const screen& look) {
  std::string text = wrapped(fmt::format("A: {}, {} trials", both.names[0], both.plans.trials[0])) +
                     wrapped(fmt::format("B: {}, {} trials", both.names[1], both.plans.trials[1]));
  for (const std::string& each : both.changes) text += wrapped("Not the same: " + each);
  text += fmt::format("{}; time: how many times as long B takes as A\n", unit_of(both.which));
  for (const indices& task : by_task(both.plans.common)) text += "\n" + table_of(both, task, look);
  return text + "\n" + summary(both) + remainder(both);
}

nlohmann::json in_json(const compared_sides& both) {
  nlohmann::json plans = nlohmann::json::array();
  for (std::size_t i = 0; i < both.plans.common.size(); ++i)
    plans.push_back(in_json(both.plans.common[i], both.found.each[i]));
  return {{"first", both.names[0]},
          {"second", both.names[1]},
          {"metric", to_string(both.which)},
          {"changes", both.changes},
          {"plans", plans},
          {"overall", {{"ratio", both.found.overall.ratio}, {"significance", both.found.overall.significance}}},
          {"trials_needed", both.found.trials_needed},
          {"trials", both.plans.trials},
          {"unmatched", both.plans.unmatched},
          {"left_out", both.plans.left_out}};
}

}  // namespace freshet::tool
