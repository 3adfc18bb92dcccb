// How long a sweep will take.
#pragma once

#include <map>
#include <utility>

#include "tool/sweep/plan.hpp"

namespace freshet::tool {

/// What a sample showed; seconds.
struct sweep_pace {
  double per_file = 0;  ///< to read, encrypt and write one of no size, at work 0
  double per_byte = 0;  ///< the same for a byte of input
  double between = 0;   ///< from a trial to the next, whatever its size: until the device is quiet and memory at rest
  double between_per_byte = 0;  ///< of input, beside that: memory to be taken back, input to be evicted or looked up
  double check_per_byte = 0;    ///< of input: what came out is read and compared, once for each cell
  /// A thread's time for a byte of input, at each work level above 0, by the characters of a line.
  std::map<std::pair<std::uint64_t, unsigned>, double> passes = {};
  unsigned processors = 1;  ///< that the ranks have together
};

/// Of one trial of `cell` in a sweep at `scale`.
[[nodiscard]] double predicted_seconds(const sweep_plan& plan, const sweep_cell& cell, double scale,
                                       const sweep_pace& pace);
/// From one trial of the corpus to the next one.
[[nodiscard]] double predicted_between(const sweep_plan& plan, std::size_t corpus, double scale,
                                       const sweep_pace& pace);
/// To remove what `rounds` rounds have left.
[[nodiscard]] double predicted_removal(const sweep_plan& plan, double scale, unsigned rounds, const sweep_pace& pace);
/// Of a sweep of `rounds` rounds at `scale`, from the making of its corpora to the removal of all.
[[nodiscard]] double predicted_seconds(const sweep_plan& plan, double scale, unsigned rounds, const sweep_pace& pace);

/// The smallest scale that is chosen unasked: at smaller ones, only the small files would get fewer, too few to say
/// anything, and no sweep notably shorter.
inline constexpr double least_fitting_scale = 0.02;

/// The largest scale at which `rounds` rounds take no more than `seconds` and write no more than `bytes`;
/// least_fitting_scale where none does.
[[nodiscard]] double fitting_scale(const sweep_plan& plan, unsigned rounds, double seconds, std::uint64_t bytes,
                                   const sweep_pace& pace);

/// Measures what the plan's cipher takes for each kind of line at each work level, by one thread.
void measure_passes(const sweep_plan& plan, sweep_pace& pace);

}  // namespace freshet::tool
