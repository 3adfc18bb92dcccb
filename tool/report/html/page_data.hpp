// The data of the HTML report, as the JSON that the page's script reads.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/report/html/run_part.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// Collects trials one by one and converts them into the JSON of the page, which doc/reference/report-data.md
/// specifies.
class page_data {
 public:
  /// `runs`: all runs that trials may belong to; `sizes`: as store::sizes() returns them.
  explicit page_data(std::vector<run> runs, task_sizes sizes = {});

  /// Adds a trial; trials must be added in the order in which they were run. One of an unknown run is ignored.
  void add(record&& stored);

  [[nodiscard]] std::size_t trials() const noexcept { return cell_.size(); }
  /// `about` ("store", "selected", …) is copied unchanged.
  [[nodiscard]] nlohmann::json json(nlohmann::json about) const;

 private:
  [[nodiscard]] nlohmann::json runs_json() const;
  /// Adds groups, rows, shares and verdicts; returns the numbers of each group's rows on the page.
  [[nodiscard]] std::vector<std::vector<std::size_t>> add_groups(nlohmann::json& page) const;
  [[nodiscard]] std::vector<std::size_t> add_group(nlohmann::json& page, const report_group& group,
                                                   bool detailed) const;
  /// Adds what a run measured of the group that is added next; `numbers`: of the group's rows on the page.
  void add_run(nlohmann::json& page, const run_part& part, std::size_t run, const std::vector<std::size_t>& numbers,
               bool detailed) const;
  [[nodiscard]] nlohmann::json trials_json(const std::vector<std::vector<std::size_t>>& row_numbers) const;
  [[nodiscard]] unsigned count_processors(const report_group& group) const;
  [[nodiscard]] std::size_t reason_number(const trial_result& trial);

  std::vector<run> runs_;
  std::map<std::int64_t, std::size_t> run_by_id_;
  report_groups groups_;
  std::vector<std::size_t> trials_of_run_;
  std::map<std::string, std::size_t> reasons_;
  std::vector<report_cell> cell_;  // of every trial
  nlohmann::json columns_;         // with an entry for every trial, but those of "row"
  std::string verdicts_;           // of every trial, by their first letters
};

}  // namespace freshet::tool
