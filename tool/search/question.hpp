// How `tune` answers one question: which way writes, or reads, a file of one size the fastest, and how that compares
// with what programs get by themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tool/search/racing.hpp"

namespace freshet::tool {

struct question {
  io_class measured_class = io_class::none;
  std::uint64_t size = 0;                              ///< bytes of the file that is asked about
  std::uint64_t least_size = std::uint64_t{16} << 20;  ///< bytes: files of trials may be smaller, down to this
  std::vector<trial_plan> ways = {};       ///< one for each method, what programs get by themselves among them
  std::vector<trial_plan> in_use = {};     ///< those of the ways that programs use already: they stay to the end
  std::vector<trial_plan> baselines = {};  ///< what programs do today
  trial_cost expected = {};                ///< of a trial
  double negligible_share = usual_negligible_share;  ///< the share of the time from which a difference matters
  std::uint64_t seed = 1;
};

/// Finds the best way in rounds. All ways take part in the first two, in files of the size that is asked about unless
/// two such rounds take more than half of the budget. The best three go on, what programs get by themselves and what
/// they use already, in rounds that alone count for the ranking: at least rounds_to_decide, in the largest files of
/// which so many fit into the budget; then until it is known whether the best way is faster than what programs get. A
/// way leaves earlier if it takes several times as long as the fastest. Baselines take part in three rounds, beginning
/// with the first. An error that concerns all ways alike, such as a full disk, ends it with what it has.
[[nodiscard]] race_result answer(const question& asked, const trial_source& source, budget& left);

/// Goes on where answer() ended without being sure, with rounds of the same files: what met in the end takes part, and
/// what left early but looked faster.
[[nodiscard]] race_result settle(const question& asked, std::vector<candidate> candidates, const trial_source& source,
                                 budget& left);

/// Compares what programs get with the profile that is tried with what they get by themselves, in files of the size in
/// which the latter was ranked, or smaller ones where that many rounds do not fit into `share` of the budget: for
/// rounds_to_decide rounds, and then until it is known whether they gain. Adds the trials to `candidates`, which
/// answer() returned. Does nothing where those have none of programs by themselves.
[[nodiscard]] race_result compare_with_profile(const question& asked, std::vector<candidate> candidates,
                                               const trial_source& source, budget& left, double share);

/// Compares `ways` with each other in files of one size, for rounds_to_decide rounds.
[[nodiscard]] std::vector<candidate> compare_in_size(const question& asked, std::span<const trial_plan> ways,
                                                     const trial_source& source, budget& left);

}  // namespace freshet::tool
