// Conclusions from the trials of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/sweep/sweep.hpp"
#include "lab/sweep/sweep_cells.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// The figures of a cell: medians over its trials that count, as sort_trials() says.
struct cell_figures {
  std::size_t trials = 0;
  std::size_t failed = 0;
  std::size_t valid = 0;                             ///< disturbed ones included
  std::size_t counted = 0;                           ///< of the valid ones
  std::map<std::string, std::size_t> left_out = {};  ///< the others, by reason
  std::size_t invalid = 0;
  estimate seconds;                 ///< until the files were closed
  double spread = 0;                ///< the median deviation of the seconds, as a share of their median
  double seconds_to_disk = 0;       ///< until the device had the files
  double megabytes = 0;             ///< 10^6 bytes of input per second
  std::optional<double> published;  ///< the same, published for this cell
  double cpu = 0;                   ///< seconds, including the kernel's threads
  double busy = 0;    ///< the share of the time for which the threads, or the processors if there are fewer, had work
  double waited = 0;  ///< seconds of these for which it was ready to run, but others had the processors
  std::optional<std::uint64_t> peak_memory;
  std::optional<std::uint64_t> page_cache;
  std::set<std::string> chosen;   ///< the strategies that were run
  std::string why;                ///< why `auto` chose, in the last trial
  std::set<std::string> reasons;  ///< why trials are invalid
  std::string failure;            ///< of the first trial that failed
};
[[nodiscard]] cell_figures compute_figures(const sweep_result& result, const sweep_cell& cell);

/// The cell of the plan with the least time for a corpus at a work level; empty if no trial is valid.
[[nodiscard]] std::optional<sweep_cell> fastest_cell(const sweep_result& result, std::size_t corpus, unsigned work);

/// The work level from which the processors are the limit.
struct cpu_limit {
  std::vector<fastest_at_work> levels;  ///< those with a valid trial, by work
  std::optional<unsigned> from;         ///< find_crossover() of the levels
  bool complete = true;                 ///< every level of the plan has a valid trial
};
[[nodiscard]] cpu_limit find_cpu_limit(const sweep_result& result, std::size_t corpus);

/// How many times as fast `auto` is as the faster of streaming and buffering, round by round.
struct auto_ratio {
  sweep_cell cell;  ///< of `auto`
  strategy against = strategy::streaming;
  estimate ratio;
};
/// The ratios of all cells in which the three strategies have valid trials in a common round.
[[nodiscard]] std::vector<auto_ratio> auto_ratios(const sweep_result& result);
/// The ratio at which `auto` is slowest. Precondition: `ratios` is not empty.
[[nodiscard]] const auto_ratio& slowest(const std::vector<auto_ratio>& ratios);
/// The median ratio at this work level (the lower one of two); empty if there is none.
[[nodiscard]] std::optional<auto_ratio> median_cell(std::vector<auto_ratio> ratios, unsigned work);

/// All trials with their figures, and the conclusions, without the environment.
[[nodiscard]] nlohmann::json make_json(const sweep_result& result);

}  // namespace freshet::tool
