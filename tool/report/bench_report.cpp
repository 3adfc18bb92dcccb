#include "tool/report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tool/base/size.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view clocks_in_words =
    "MB/s until closed and until on disk; the device's writes, the files' extents:";

/// The rows of one class, and what they say.
struct class_rows {
  std::vector<const measured_plan*> rows;
  std::vector<candidate> field;  ///< those that may win
  verdict found;
};

/// Without a file, nothing is won.
bool may_win(const measured_plan& row) { return row.plan.method != "null" && !row.trials.empty(); }

template <typename Figure>
estimate class_median(const std::vector<const trial_result*>& trials, Figure figure) {
  std::vector<double> values;
  for (const trial_result* made : trials) values.push_back(figure(*made));
  return estimate_median(values);
}

/// Its value and its interval, as two cells.
void add_rate(std::vector<std::string>& cells, const estimate& rate) {
  cells.push_back(format_figure(rate.value));
  cells.push_back(fmt::format("{}-{}", format_figure(rate.range.low), format_figure(rate.range.high)));
}

/// The median of a count that not every trial may have.
std::string median_count(const std::vector<const trial_result*>& trials,
                         std::optional<std::uint64_t> trial_result::*count) {
  std::vector<double> values;
  for (const trial_result* made : trials)
    if (const auto value = made->*count) values.push_back(static_cast<double>(*value));
  return values.empty() ? "-" : fmt::format("{:.0f}", median(values));
}

class_rows class_rows_of(std::span<const measured_plan> all, io_class what) {
  class_rows made;
  for (const measured_plan& row : all) {
    if (row.plan.what != what) continue;
    made.rows.push_back(&row);
    // Nothing more is to be learnt of a plan that has no valid trial.
    if (may_win(row))
      made.field.push_back(
          {.plan = row.plan, .trials = row.trials, .dropped = has_valid_trial(row) ? "" : fault_of(row)});
  }
  made.found = rank_candidates(what, made.field, bootstrap_seed);
  return made;
}

/// What is beside the ranking of each plan: both clocks, and what the device did.
table other_figures(const class_rows& made, const screen& look) {
  using enum table::side;
  const bool reading = reads(made.found.what);
  std::vector<table::column> columns{{"", left}, {reading ? "way to read" : "way to write", left, true}};
  if (reading) {
    columns.insert(columns.end(), {{"MB/s"}, {"95 %"}, {"device reads"}, {"extents"}});
  } else {
    columns.insert(columns.end(), {{"close"}, {"95 %"}, {"disk"}, {"95 %"}, {"writes"}, {"extents"}});
  }
  table list{columns};
  for (const measured_plan* row : made.rows) {
    if (row->trials.empty()) continue;
    const std::vector<const trial_result*> trials = usable_samples(*row);
    const bool invalid = !has_valid_trial(*row);
    std::vector<std::string> cells{painted(invalid ? "!" : "", colour::bad, look), describe(row->plan)};
    add_rate(cells, class_median(trials, [](const trial_result& one) { return one.rate_to_close(); }));
    if (!reading) add_rate(cells, class_median(trials, [](const trial_result& one) { return one.rate_to_disk(); }));
    cells.insert(cells.end(),
                 {median_count(trials, reading ? &trial_result::device_reads : &trial_result::device_writes),
                  median_count(trials, &trial_result::extents)});
    list.add(std::move(cells));
  }
  return list;
}

std::string faults_of(const class_rows& made, const screen& look) {
  std::string text;
  for (const measured_plan* row : made.rows) {
    const std::string fault = row->trials.empty() ? "not measured: " + row->why_not : fault_of(*row);
    const bool unusable = row->trials.empty() || !has_valid_trial(*row);
    const bool unknown = std::ranges::any_of(
        row->trials, [](const trial_result& one) { return one.validity == trial_validity::unknown; });
    if (fault.empty() || !(unusable || unknown)) continue;  // what is left out of others is said of all together
    text +=
        wrapped(fmt::format("{} {}: {}", unusable ? painted("!", colour::bad, look) : " ", describe(row->plan), fault));
  }
  return text;
}

std::string class_report(const class_rows& made, const screen& look) {
  std::string text = fmt::format("== {}\n", class_in_words(made.found.what));
  if (made.found.ranking.size() > 1) text += verdict_in_words(made.found, look, plan_name);
  if (!made.found.ranking.empty()) text += ranking_table(made.found, look, plan_name, made.found.ranking.size());
  if (std::ranges::any_of(made.rows, [](const measured_plan* row) { return !row->trials.empty(); }))
    text += fmt::format("\n{}\n", reads(made.found.what) ? "What the device did:" : clocks_in_words) +
            other_figures(made, look).text(look.width);
  return text + faults_of(made, look) + oddities_in_words(made.found);
}

}  // namespace

std::string bench_report(std::span<const measured_plan> rows, const screen& look) {
  std::string report;
  for (const io_class what : all_classes) {
    const class_rows of_class = class_rows_of(rows, what);
    if (of_class.rows.empty()) continue;
    report += (report.empty() ? "" : "\n") + class_report(of_class, look);
  }
  return report;
}

nlohmann::json bench_verdicts(std::span<const measured_plan> rows) {
  nlohmann::json verdicts = nlohmann::json::array();
  for (const io_class what : all_classes) {
    const class_rows of_class = class_rows_of(rows, what);
    if (!of_class.rows.empty()) verdicts.push_back(in_json(of_class.found));
  }
  return verdicts;
}

}  // namespace freshet::tool
