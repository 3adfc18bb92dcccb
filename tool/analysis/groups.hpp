// Stored trials sorted for reports: into groups that may be compared, and within a group into rows of repetitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tool/base/enum_names.hpp"
#include "tool/search/ranking.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A file system on a machine.
struct report_place {
  std::string machine;
  std::string store;        ///< the one of several that its runs were read from: each has machines of its own
  std::string key;          ///< environment's file_system_key
  std::string file_system;  ///< type
  std::string name;         ///< for people; unique among all places
};

/// The trials of one plan in one run.
struct row_in_run {
  std::vector<std::size_t> trials;  ///< indices into the candidate's trials
  latency_histogram latency;        ///< of the usable trials
};

/// What the trials of a group are for.
enum class group_role : std::uint8_t {
  contest,    ///< plans that compete
  lines,      ///< files processed line by line: a task of its own in each cell of threads and work
  generator,  ///< the generator alone, which competes with nothing
  diagnosis,  ///< trials that explain the machine, apart from the rankings of their run
  warm_up,    ///< trials that only warmed up: they count nowhere
};
template <>
inline constexpr auto enum_names<group_role> = std::to_array<std::string_view>({"contest", "lines", "generator",
                                                                                "diagnosis", "warm-up"});

/// A plan, without the figures of its trials, which are in the candidate of the same index.
struct report_row {
  std::string method;
  std::string label;
  nlohmann::json plan;                            ///< of its first trial
  std::vector<std::int64_t> ids = {};             ///< of its trials, in the store
  std::vector<double> cpu_to_close = {};          ///< of its trials; NaN if unknown
  std::vector<std::uint64_t> blocks = {};         ///< of its trials, as far as they were watched; 0: they were not
  std::map<std::size_t, row_in_run> by_run = {};  ///< by the run's index
};

/// Trials that may be compared: they have the same place, kind of run, workload, class and size, and every other
/// property that would make them a different task is the same as well.
struct report_group {
  std::size_t place = 0;
  std::string kind;  ///< of the run: "methods" (tune, bench, text), or the command: "peers", "writetest", …
  std::string workload;
  io_class measured_class = io_class::none;
  /// Bytes per file, or the most that a run of it wrote: a search begins with smaller files. 0 for lines.
  std::uint64_t size = 0;
  std::string variant;  ///< those other properties, for people; empty if they are the usual ones
  group_role role = group_role::contest;
  std::vector<candidate> candidates = {};
  std::vector<report_row> rows = {};  ///< with the same indices
  std::size_t trials = 0;
  std::size_t invalid = 0;

  /// Whether its trials process files line by line.
  [[nodiscard]] bool has_lines() const noexcept { return role == group_role::lines; }
  /// Whether its plans are ranked.
  [[nodiscard]] bool is_ranked() const noexcept { return role == group_role::contest || role == group_role::diagnosis; }
};

/// Where a trial belongs.
struct report_cell {
  std::size_t group = 0;
  std::size_t row = 0;  ///< in its group
};

/// "methods", or the command if it measures something else: a part of what trials are compared within.
[[nodiscard]] std::string describe_kind(std::string_view command);

/// The task of a group, for people: "Text, durable at close, 1 GiB".
[[nodiscard]] std::string describe_task(const report_group& group);

/// "ext4 on vda", "tmpfs": where `env` measured, for people.
[[nodiscard]] std::string describe_file_system(const environment& env);

/// Sorts trials into groups.
class report_groups {
 public:
  /// `runs`: all runs that trials may belong to; `sizes`: of their tasks, as store::task_sizes() returns them. A task
  /// that is missing there has its trial's size.
  explicit report_groups(const std::vector<run>& runs, task_sizes sizes = {});

  /// Adds a trial of the run with that index, and returns where it belongs.
  report_cell add(record&& stored, std::size_t run);

  [[nodiscard]] const std::vector<report_place>& places() const noexcept { return places_; }
  [[nodiscard]] const std::vector<report_group>& all() const noexcept { return groups_; }
  /// Returns the index of the place where that run measured.
  [[nodiscard]] std::size_t place_of(std::size_t run) const { return place_of_run_.at(run); }

 private:
  /// What all trials of a group have in common.
  using group_key = std::tuple<std::size_t, std::string, std::string, io_class, std::uint64_t, std::string, group_role>;
  /// What all trials of a row have in common: group, label, side, plan, whether it is a baseline.
  using row_key = std::tuple<std::size_t, std::string, std::string, std::string, bool>;

  [[nodiscard]] std::size_t find_group(const record& stored, std::size_t run);
  [[nodiscard]] std::size_t find_row(const record& stored, std::size_t group);
  [[nodiscard]] unsigned number_round(const record& stored, std::size_t run);
  [[nodiscard]] std::uint64_t find_size(const record& stored) const;

  task_sizes sizes_;
  std::vector<report_place> places_;
  std::vector<std::size_t> place_of_run_;
  std::vector<std::string> kind_of_run_;
  std::vector<report_group> groups_;
  std::map<group_key, std::size_t> group_by_key_;
  std::map<row_key, std::size_t> row_by_key_;
  std::map<std::pair<std::size_t, unsigned>, unsigned> rounds_;
};

}  // namespace freshet::tool
