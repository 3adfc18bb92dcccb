// The data of the HTML report, as the JSON that the page's script reads.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/analysis/lines_drawing.hpp"
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
  /// Has `draw` draw the groups of files that were processed line by line, and their part of the page. To be called
  /// after the last trial was added.
  void draw(const lines_drawer& draw);
  /// That part of the page's script; empty if nobody drew.
  [[nodiscard]] const std::string& script() const noexcept { return script_; }
  /// `about` ("store", "selected", …) is copied unchanged.
  [[nodiscard]] nlohmann::json json(nlohmann::json about) const;

 private:
  /// A group, by its index, and the run whose part of it is meant; `all_runs`: the whole group.
  using part_key = std::pair<std::size_t, std::size_t>;
  static constexpr std::size_t all_runs = static_cast<std::size_t>(-1);

  /// What was drawn; null for groups that nobody draws.
  [[nodiscard]] const lines_section* find_lines(const part_key& key) const;
  [[nodiscard]] nlohmann::json runs_json() const;
  /// Adds groups, rows, shares and verdicts; returns the numbers of each group's rows on the page.
  [[nodiscard]] std::vector<std::vector<std::size_t>> add_groups(nlohmann::json& page) const;
  [[nodiscard]] std::vector<std::size_t> add_group(nlohmann::json& page, std::size_t group, bool detailed) const;
  /// Adds what a run measured of the group that is added next; `numbers`: of the group's rows on the page.
  void add_run(nlohmann::json& page, const run_part& part, const part_key& key, const std::vector<std::size_t>& numbers,
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
  std::map<part_key, lines_section> lines_;
  std::string script_;
};

}  // namespace freshet::tool
