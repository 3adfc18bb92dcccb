#include "lab/campaign/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tool/base/clock.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

std::vector<std::string> axes_of(const std::vector<planned_step>& steps) {
  std::set<std::string> names;
  for (const planned_step& step : steps)
    for (const auto& [name, value] : step.cell) names.insert(name);
  return {names.begin(), names.end()};
}

std::string value_of(const planned_step& step, const std::string& axis) {
  const auto found = std::ranges::find(step.cell, axis, &std::pair<std::string, std::string>::first);
  return found == step.cell.end() ? "" : replace_controls(found->second);
}

// The columns of the plan, and after them others.
table make_table(const std::vector<std::string>& axes, const std::vector<table::column>& others = {}) {
  std::vector<table::column> columns{{.heading = "step"},
                                     {.heading = "what", .flush = table::side::left, .may_be_cut = true}};
  for (const std::string& axis : axes) columns.push_back({.heading = axis});
  columns.push_back({.heading = "rep."});
  columns.insert(columns.end(), others.begin(), others.end());
  return table{std::move(columns)};
}

std::vector<std::string> plan_cells(const planned_step& step, std::uint64_t position,
                                    const std::vector<std::string>& axes) {
  std::vector<std::string> cells{std::to_string(position), replace_controls(step.name)};
  for (const std::string& axis : axes) cells.push_back(value_of(step, axis));
  cells.push_back(std::to_string(step.repetition));
  return cells;
}

std::string describe_state(const journaled_step& step, bool at_work) {
  if (const step_attempt* result = step.result())
    return *result->exit_code == 0 ? "done" : fmt::format("exit {}", *result->exit_code);
  if (step.attempts.empty()) return "";
  return at_work && step.attempts.back().state == "running" ? "at work" : "cut off";
}

std::string describe_cold(const step_attempt* result) {
  return result == nullptr || !result->cold ? "" : *result->cold ? "cold" : "not cold";
}

std::string format_steps(const campaign_view& view, const screen& look) {
  std::vector<planned_step> planned;
  for (const journaled_step& step : view.steps) planned.push_back(step.planned);
  const std::vector<std::string> axes = axes_of(planned);
  table rows = make_table(axes, {{.heading = "result", .flush = table::side::left},
                                 {.heading = "seconds"},
                                 {.heading = "cache", .flush = table::side::left},
                                 {.heading = "tries"},
                                 {.heading = "runs", .may_be_left_out = true}});
  for (const journaled_step& step : view.steps) {
    const step_attempt* result = step.result();
    std::vector<std::string> cells = plan_cells(step.planned, step.position, axes);
    cells.insert(cells.end(), {describe_state(step, view.process.has_value()),
                               result == nullptr ? "" : format_figure(*result->seconds), describe_cold(result),
                               step.attempts.empty() ? "" : std::to_string(step.attempts.size()),
                               result == nullptr ? "" : fmt::format("{}", fmt::join(result->runs, " "))});
    rows.add(std::move(cells));
  }
  return rows.text(look.width);
}

// Why nothing happens although the campaign is not over, and what to do.
std::string describe_rest(const campaign_view& view) {
  if (!view.stop_file.empty() && !is_over(view.record.state))
    return fmt::format("Nothing happens while the file {} exists.\n", view.stop_file);
  switch (view.record.state) {
    case campaign_state::running:
      if (view.process) return fmt::format("At work: process {}.\n", *view.process);
      return view.record.unit.empty() ? "No process works on it: `freshet campaign resume` goes on.\n"
                                      : "It goes on after the next boot, or with `freshet campaign resume --yes`.\n";
    case campaign_state::paused:
    case campaign_state::stopped:
      return fmt::format("{} `freshet campaign resume` goes on.\n",
                         view.record.why.empty() ? "" : "Because " + replace_controls(view.record.why) + ".");
    case campaign_state::done:
    case campaign_state::aborted:
      break;
  }
  return {};
}

nlohmann::json make_json(const step_attempt& attempt) {
  return {{"number", attempt.number}, {"state", attempt.state},    {"started", attempt.started},
          {"ended", attempt.ended},   {"boot", attempt.boot},      {"evidence", attempt.evidence},
          {"output", attempt.output}, {"runs", attempt.runs},      {"exit_code", attempt.exit_code},
          {"cold", attempt.cold},     {"seconds", attempt.seconds}};
}

nlohmann::json make_json(const journaled_step& step) {
  const planned_step& planned = step.planned;
  return {{"step", step.position},
          {"name", planned.name},
          {"cell", std::map<std::string, std::string>{planned.cell.begin(), planned.cell.end()}},
          {"repetition", planned.repetition},
          {planned.for_shell ? "command" : "freshet",
           planned.for_shell ? nlohmann::json(planned.words.front()) : nlohmann::json(planned.words)},
          {"done", step.result() != nullptr},
          {"repeated", step.attempts.size() > 1},
          {"attempts", make_json_array(step.attempts, [](const step_attempt& each) { return make_json(each); })}};
}

}  // namespace

campaign_counts count_steps(const std::vector<journaled_step>& steps) {
  campaign_counts counts;
  for (const journaled_step& step : steps) {
    if (step.attempts.size() > 1) ++counts.repeated;
    const step_attempt* result = step.result();
    if (result == nullptr) continue;
    ++counts.done;
    if (*result->exit_code != 0) ++counts.failed;
    if (result->cold && !*result->cold) ++counts.not_cold;
  }
  return counts;
}

std::vector<std::int64_t> shared_runs(const std::vector<journaled_step>& steps) {
  std::map<std::int64_t, unsigned> uses;
  for (const journaled_step& step : steps)
    if (const step_attempt* result = step.result())
      for (const std::int64_t run : result->runs) ++uses[run];
  std::vector<std::int64_t> shared;
  for (const auto& [run, steps_of_run] : uses)
    if (steps_of_run > 1) shared.push_back(run);
  return shared;
}

std::string describe(const planned_step& step) {
  std::string text = step.name;
  for (const auto& [name, value] : step.cell) text += fmt::format(", {} {}", name, value);
  return replace_controls(fmt::format("{} (repetition {})", text, step.repetition));
}

std::string format_campaign(const campaign_view& view, const screen& look) {
  const campaign_counts counts = count_steps(view.steps);
  std::string text =
      fmt::format("Campaign {} \"{}\": {}, {} of {} done", view.record.id, replace_controls(view.record.name),
                  to_string(view.record.state), counts.done, format_count(view.steps.size(), "step"));
  if (counts.failed != 0) text += fmt::format(", {} of them failed", counts.failed);
  if (counts.not_cold != 0) text += fmt::format(", {} not cold", counts.not_cold);
  if (counts.repeated != 0) text += fmt::format("; {} cut off and repeated", counts.repeated);
  text += fmt::format(".\nStarted {}", view.record.started);
  if (!view.record.ended.empty()) text += fmt::format(", ended {}", view.record.ended);
  text += fmt::format(", in {}; the order is that of seed {}.\n", replace_controls(view.record.directory.string()),
                      view.record.seed);
  text += describe_rest(view) + '\n' + format_steps(view, look);
  for (const run_summary& each : view.figures) text += '\n' + format_run(each, look);
  return text;
}

std::string format_step(const journaled_step& step) {
  std::string text = fmt::format("Step {}: {}\n", step.position, describe(step.planned));
  for (const step_attempt& attempt : step.attempts) {
    text +=
        fmt::format("try {}: {}, began {} in boot {}", attempt.number, attempt.state, attempt.started, attempt.boot);
    if (attempt.exit_code) text += fmt::format(", exit code {} after {:.3f} s", *attempt.exit_code, *attempt.seconds);
    if (!attempt.runs.empty()) text += fmt::format(", stored runs {}", fmt::join(attempt.runs, " "));
    text += '\n';
    if (!attempt.evidence.empty())
      text += fmt::format("  {}: {}\n", attempt.cold.value_or(false) ? "cold" : "not cold",
                          replace_controls(attempt.evidence));
  }
  const step_attempt* result = step.result();
  if (result != nullptr) text += "output:\n" + replace_controls(result->output);
  return text;
}

std::string format_plan(const std::vector<planned_step>& steps, const screen& look) {
  const std::vector<std::string> axes = axes_of(steps);
  table rows = make_table(axes);
  std::uint64_t position = 0;
  for (const planned_step& step : steps) rows.add(plan_cells(step, ++position, axes));
  return rows.text(look.width);
}

nlohmann::json make_json(const campaign_view& view) {
  const campaign_counts counts = count_steps(view.steps);
  return {{"campaign",
           {{"id", view.record.id},
            {"name", view.record.name},
            {"state", to_string(view.record.state)},
            {"why", view.record.why},
            {"started", view.record.started},
            {"ended", view.record.ended},
            {"directory", view.record.directory.string()},
            {"seed", view.record.seed},
            {"plan", view.record.plan},
            {"unit", view.record.unit},
            {"store", view.store.string()},
            {"stop_file", view.stop_file},
            {"process", view.process},
            {"done", counts.done},
            {"failed", counts.failed},
            {"repeated", counts.repeated},
            {"not_cold", counts.not_cold},
            {"figures", view.figures},
            {"steps", make_json_array(view.steps, [](const journaled_step& each) { return make_json(each); })}}}};
}

}  // namespace freshet::tool
