// The scale of the corpora at which a sweep takes the time that it was given, predicted from its first round.
#pragma once

#include <cstdint>
#include <vector>

#include "tool/sweep/plan.hpp"

namespace freshet::tool {

/// The scale of the first round if the user names none. Below it, only the small files would become fewer, too few to
/// show anything, and no sweep would be notably shorter.
inline constexpr double least_fitting_scale = 0.02;

/// What the first round of a plan took, in seconds.
struct round_times {
  double corpora = 0;          ///< to create the corpora
  double between_trials = 0;   ///< the least time from the moment when the disk has a trial's files to the next trial
  std::vector<double> trials;  ///< for each of list_cells(), from the start of its trial to the start of the next one
};

/// Predicts the seconds that the corpora and `rounds` rounds take at `scale`, including the removal of all files.
/// `measured` is the first round of `plan`.
[[nodiscard]] double predict_seconds(const sweep_plan& plan, const round_times& measured, double scale,
                                     unsigned rounds);

/// The largest scale at which the corpora and `rounds` rounds take no more than `seconds` and write no more than
/// `bytes`, in steps of 0.001; the scale of `plan` if no larger one does. `measured` is the first round of `plan`.
[[nodiscard]] double find_fitting_scale(const sweep_plan& plan, const round_times& measured, unsigned rounds,
                                        double seconds, std::uint64_t bytes);

}  // namespace freshet::tool
