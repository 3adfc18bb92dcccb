// Trials that process files line by line, as a grid of threads and work: what is fastest, and where work on lines stops
// waiting for the disk and starts waiting for processors.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tool/analysis/group_verdict.hpp"

namespace freshet::tool {

/// Threads that are busy for this share of the time wait for nothing but processors.
inline constexpr double busy_enough = 0.9;

/// The fastest way of doing one level of work.
struct fastest_at_work {
  unsigned work = 0;  ///< how many times each line is encrypted
  std::string strategy;
  unsigned threads = 1;  ///< of each process
  unsigned ranks = 1;    ///< processes
  double seconds = 0;    ///< median, until the files were closed
  /// The share of the time for which its threads, or all processors if there are fewer, had work; empty if unknown.
  std::optional<double> busy;
  double waited =
      0;  ///< seconds of these for which it was ready to run, but others had the processors, as far as known
};

/// The median seconds for which trials were ready to run, but others had the processors; 0 where it is not known.
[[nodiscard]] double compute_median_wait(std::span<const trial_result* const> trials);

/// CPU time as a share of what `threads` could have used meanwhile. Threads beyond the processors can't be busy.
[[nodiscard]] double compute_busy_share(double cpu_seconds, double seconds, unsigned threads, unsigned processors);

/// The lowest work level from which on every level is busy; none if the highest is not, or if that is unknown.
/// Precondition: `levels` is sorted by work.
[[nodiscard]] std::optional<unsigned> find_crossover(std::span<const fastest_at_work> levels);

/// A sentence: up to which work level the disk is the limit, and from which on the CPU. Precondition: `levels` is
/// sorted by work and not empty.
[[nodiscard]] std::string describe_crossover(std::span<const fastest_at_work> levels, unsigned processors);

/// Summarizes a row of a group of the workload "lines"; 0 seconds if it has no valid trial.
[[nodiscard]] fastest_at_work summarize_cell(const report_group& group, std::size_t row, unsigned processors);

/// The lowest work level from which on the processors are the limit; none if they never are, or if that is unknown.
[[nodiscard]] std::optional<unsigned> find_crossover(const report_group& group, unsigned processors);

/// Says what is fastest at the lowest and at the highest work level, and where the processors become the limit.
[[nodiscard]] group_verdict make_sweep_verdict(const report_group& group, unsigned processors);

}  // namespace freshet::tool
