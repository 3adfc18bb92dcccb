// What was measured: a list of runs, and one run's rankings.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/report/screen.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A run and its trials, summed up.
struct run_summary {
  run about;
  std::size_t trials = 0;
  std::size_t invalid = 0;
  /// MB/s of the valid trials, by what they were ranked by and the method's name.
  std::map<io_class, std::map<std::string, std::vector<double>>> rates = {};

  void add(const record& made);
};

/// The runs, the last at the end: number, time, command line, place, trials and the fastest.
[[nodiscard]] std::string history_report(const std::vector<run_summary>& runs, const screen& look = {});

/// One run: where it measured, and a ranking of each of its groups.
[[nodiscard]] std::string run_report(const run_summary& one, const report_groups& groups, const screen& look = {});

[[nodiscard]] nlohmann::json in_json(const run_summary& one);

}  // namespace freshet::tool
