// Stored measurements: a list of runs, and the rankings of one run.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/report/screen.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A summary of a run and its trials.
struct run_summary {
  run about;
  std::size_t trials = 0;
  std::size_t invalid = 0;
  /// MB/s of the usable trials, by class and label.
  std::map<io_class, std::map<std::string, std::vector<double>>> rates = {};

  void add(const record& stored);
};

/// "2026-03-01 12:34" of "2026-03-01T12:34:56Z".
[[nodiscard]] std::string format_time(std::string_view utc);

/// Returns a list of the runs, the last one at the end: number, time, command line, place, trials and the fastest plan.
[[nodiscard]] std::string format_history(const std::vector<run_summary>& runs, const screen& look = {});

/// Returns where one run measured, and a ranking of each of its groups.
[[nodiscard]] std::string format_run(const run_summary& one, const report_groups& groups, const screen& look = {});

[[nodiscard]] nlohmann::json in_json(const run_summary& one);

}  // namespace freshet::tool
