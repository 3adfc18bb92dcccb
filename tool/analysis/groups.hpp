// Trials as a report sorts them: those that may be compared with one another, and those that repeat one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tool/search/ranking.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A file system on a machine.
struct report_place {
  std::string machine;
  std::string key;          ///< environment's file_system_key
  std::string file_system;  ///< type
  std::string name;         ///< for people: unlike that of any other place
};

/// The trials of one plan that one run made.
struct run_share {
  std::vector<std::size_t> trials;  ///< indices into the candidate's
  latency_histogram latency;        ///< of those that count
};

/// What there is to say of a plan besides its trials.
struct report_row {
  std::string method;
  std::string label;
  nlohmann::json plan;                      ///< of its first trial
  std::vector<std::int64_t> ids;            ///< of its trials, in the store
  std::vector<double> cpu_to_close;         ///< of its trials; NaN where that is not known
  std::map<std::size_t, run_share> by_run;  ///< by the run's index
};

/// Trials that may be compared: of one place, workload and class, and alike in what else makes another task of it.
struct report_group {
  std::size_t place = 0;
  std::string workload;
  io_class what = io_class::none;
  std::string special;           ///< what else, for people; empty for the usual
  bool ranks = true;             ///< false: not a contest (the generator alone)
  std::vector<candidate> field;  ///< each with its index as its plan's seed
  std::vector<report_row> rows;  ///< of the same indices
  std::size_t trials = 0;
  std::size_t invalid = 0;
};

/// Where a trial belongs.
struct report_cell {
  std::size_t group = 0;
  std::size_t row = 0;  ///< in its group
};

/// Sorts trials into groups.
class report_groups {
 public:
  /// Of the runs that trials may belong to.
  explicit report_groups(const std::vector<run>& runs);

  /// Takes up a trial of the run with that index.
  report_cell add(record&& made, std::size_t run);

  [[nodiscard]] const std::vector<report_place>& places() const noexcept { return places_; }
  [[nodiscard]] const std::vector<report_group>& all() const noexcept { return groups_; }
  /// The place of each run.
  [[nodiscard]] std::size_t place_of(std::size_t run) const { return place_of_run_.at(run); }

 private:
  [[nodiscard]] std::size_t group_of(const record& made, std::size_t run);
  [[nodiscard]] std::size_t row_of(const record& made, std::size_t group);
  [[nodiscard]] unsigned round_of(const record& made, std::size_t run);

  std::vector<report_place> places_;
  std::vector<std::size_t> place_of_run_;
  std::vector<report_group> groups_;
  std::map<std::string, std::size_t> group_by_key_;
  std::map<std::string, std::size_t> row_by_key_;
  std::map<std::pair<std::size_t, unsigned>, unsigned> rounds_;
};

}  // namespace freshet::tool
