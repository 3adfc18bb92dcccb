// What the trials of a sweep say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tool/search/statistics.hpp"
#include "tool/sweep/sweep.hpp"

namespace freshet::tool {

/// A cell in figures: medians over its valid trials.
struct cell_figures {
  std::size_t trials = 0;
  std::size_t failed = 0;  ///< where it is not 0, none is valid: what fails at times is nobody's choice
  std::size_t valid = 0;
  std::size_t invalid = 0;
  estimate seconds;            ///< until the files were closed
  double spread = 0;           ///< of the seconds: their median deviation, as a share of the median
  double seconds_to_disk = 0;  ///< until the device had them, too
  double megabytes = 0;        ///< 10^6 bytes of input per second
  double cpu = 0;              ///< the whole bill
  double busy = 0;             ///< the share of the threads' time, or the processors', for which they had work
  std::optional<std::uint64_t> peak_memory;
  std::set<std::string> chosen;   ///< strategies at work
  std::string why;                ///< `auto` chose, at the last trial
  std::set<std::string> reasons;  ///< why trials are invalid
  std::string failure;            ///< of the first that failed
};
[[nodiscard]] cell_figures figures_of(const sweep_result& made, const sweep_cell& cell);

/// The cell of the plan's with the least time for a corpus at a work level; none where no trial is valid.
[[nodiscard]] std::optional<sweep_cell> fastest_cell(const sweep_result& made, std::size_t corpus, unsigned work);

/// Threads that keep busy for this share of the time wait for nothing but processors.
inline constexpr double busy_share = 0.9;

/// How busy the fastest cell is at a work level.
struct work_load {
  unsigned work = 0;
  sweep_cell fastest;
  double busy = 0;
};
/// From which work level on the processors are the limit.
struct cpu_limit {
  std::vector<work_load> levels;  ///< those with a valid trial, by work
  std::optional<unsigned> from;   ///< the lowest from which on all are busy; none: the highest is not
  bool complete = true;           ///< every level of the plan has a valid trial
};
[[nodiscard]] cpu_limit find_cpu_limit(const sweep_result& made, std::size_t corpus);

/// How many times as fast `auto` is as the faster of streaming and buffering, round by round.
struct auto_ratio {
  sweep_cell cell;  ///< of `auto`
  strategy against = strategy::streaming;
  estimate ratio;
};
/// Of each cell in which all three have valid trials in common.
[[nodiscard]] std::vector<auto_ratio> auto_ratios(const sweep_result& made);
/// The one where `auto` does worst. Precondition: there is one.
[[nodiscard]] const auto_ratio& slowest(const std::vector<auto_ratio>& ratios);
/// The one in the middle (of an even number, the lower of the two) of those at this work level; none where there are
/// none.
[[nodiscard]] std::optional<auto_ratio> median_cell(std::vector<auto_ratio> ratios, unsigned work);

/// All trials with all figures, and what they say; without the environment.
[[nodiscard]] nlohmann::json in_json(const sweep_result& made);

}  // namespace freshet::tool
