// What the next file of a program will take, judging by programs that wrote one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tool/search/candidate_figures.hpp"
#include "tool/search/statistics.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Two files that a process of its own wrote, one after another.
struct program_files {
  trial_result first;
  trial_result later;
};

/// The speed to expect of a program that opens its first file.
struct prediction {
  trial_plan plan;
  std::uint64_t size = 0;    ///< bytes of the file
  double rate = 0;           ///< MB/s by the clock of the plan's class: the median of the programs' first files
  interval rates;            ///< MB/s that the next file will have
  double coverage = 0;       ///< the probability of that, if the disk goes on as it did
  double later = 1;          ///< times the first file's seconds that a later file of the same process takes
  std::size_t programs = 0;  ///< that were started
};

/// The share by which disk and memory change from minute to minute, which the trials of one minute cannot show.
/// Measured by bench/next_file.py and bench/tune_quality.py (doc/measurements/next-file.md).
inline constexpr double change_from_minute_to_minute = 0.1;

/// Returns between which MB/s the next file lies in about four of five cases: those of the slowest and the fastest of
/// the usable trials with files of `size` bytes, wider by change_from_minute_to_minute. Zeros without such a trial.
[[nodiscard]] interval expect_next_rate(const candidate& entry, std::uint64_t size);

/// Returns the range in which the next program's first file will lie: the median of the programs' first files, varied
/// as these and the plan's trials did, which were spread over more time. The range reaches from one of these values to
/// another, so that the binomial distribution gives the coverage, at least nine in ten if there are enough of them; and
/// it is wider by change_from_minute_to_minute. Empty for fewer than three usable programs. Source: David and Nagaraja,
/// Order Statistics (2003), 7.3.
[[nodiscard]] std::optional<prediction> predict_next_file(std::span<const program_files> programs,
                                                          const candidate& entry);

}  // namespace freshet::tool
