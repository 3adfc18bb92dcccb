// Stored measurements: a list of runs, and the rankings of one run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/analysis/lines_drawing.hpp"
#include "tool/report/screen.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A summary of a run and its trials.
struct run_summary {
  run about;
  std::size_t trials = 0;
  std::size_t invalid = 0;
  report_groups groups;  ///< of its trials, without warm-ups
  /// Of the groups that process files line by line, in their order; empty until draw_runs() was called.
  std::vector<lines_section> lines = {};

  /// `sizes`: as store::sizes() returns them.
  explicit run_summary(run one, task_sizes sizes = {});
  void add(record&& stored);
};

/// Has `draw` draw what format_run() and to_json() show of files that were processed line by line. To be called after
/// the last trial was added.
void draw_runs(std::span<run_summary> runs, const lines_drawer& draw);

/// "2026-03-01 12:34" of "2026-03-01T12:34:56Z".
[[nodiscard]] std::string format_time(std::string_view utc);

/// Returns a list of the runs, the last one at the end: number, time, command line, place, trials and the winner of
/// each class.
[[nodiscard]] std::string format_history(const std::vector<run_summary>& runs, const screen& look = {});

/// Returns where one run measured, and a ranking of each of its groups.
[[nodiscard]] std::string format_run(const run_summary& one, const screen& look = {});

/// Converts all but its rows and their trials.
void to_json(nlohmann::json& out, const report_group& group);
/// Ranks each of its groups.
void to_json(nlohmann::json& out, const run_summary& one);

}  // namespace freshet::tool
