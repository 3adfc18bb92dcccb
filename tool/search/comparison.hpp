// How two candidates of one class compare: their speed, and their CPU cost, each in the rounds that both took part in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tool/base/enum_names.hpp"
#include "tool/search/candidate_figures.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

inline constexpr double usual_negligible_share = 0.05;  ///< the share of the time from which a difference matters
inline constexpr double cpu_noise = 0.02;               ///< CPU s/GB by which two costs must differ, and
inline constexpr double cpu_noise_share = 0.10;         ///< the share of the higher one by which they must differ

// The noise of trials differs from disk to disk and from hour to hour, so it is estimated from the trials themselves:
// in the first rounds mostly from those of all candidates. These figures are calibrated on kept trials, in
// tests/tool/search/calibration_test.cpp; doc/decisions/0021-leading-group.md has the measurements.
inline constexpr double usual_noise = 0.2;          ///< standard deviation of a ratio's logarithm, if nothing is known
inline constexpr double weight_of_usual_noise = 4;  ///< trials that it counts for beside those of all candidates
inline constexpr double weight_of_all = 6;          ///< rounds that the noise of all counts for beside a pair's own
inline constexpr double bound_deviations = 3;       ///< standard errors from the ratio to its range's ends, and
inline constexpr double bound_deviations_of_few = 8;  ///< divided by the rounds: that many more

enum class outcome : std::uint8_t { better, worse, tie, undecided };
template <>
inline constexpr auto enum_names<outcome> = std::to_array<std::string_view>({"better", "worse", "tie", "undecided"});

/// One candidate's speed against another's.
struct comparison {
  /// The median ratio of seconds: below 1, the first is faster. Looks after any number of rounds, at many candidates,
  /// may rely on its range, which is unbounded after a single round.
  estimate ratio;
  bool paired = false;  ///< whether it compares trials of the same rounds
  /// Better or worse if the range shows a difference that matters; a tie if it excludes one, after rounds_to_decide.
  outcome result = outcome::undecided;
};

/// Returns the standard deviation that the logarithm of a ratio within a round has, judging by all candidates: what is
/// left of their trials' times without the plan's and the round's share.
[[nodiscard]] double estimate_noise(std::span<const candidate> candidates, metric which = metric::ranking);

/// Returns the range that contains the true ratio, given its logarithms within shared rounds: so wide that of ten equal
/// candidates whose ranges are looked at as a race does, none is called slower in 95 % of races. `noise` is that of all
/// candidates. Precondition: `logarithms` is not empty.
[[nodiscard]] interval bound_ratio(std::span<const double> logarithms, double noise);

/// Whether ranges may be looked at after so many rounds: looking after each would find something by chance.
[[nodiscard]] bool is_planned_look(std::size_t rounds);

/// What comparisons rest on besides the trials of the two.
struct comparison_rules {
  double negligible_share = usual_negligible_share;  ///< the share of the time from which a difference matters
  double noise = usual_noise;                        ///< estimate_noise() of all candidates
  metric which = metric::ranking;                    ///< the figure that is compared
};

/// Whether the result rests on as many rounds as decide.
[[nodiscard]] inline bool is_certain(const comparison& against) noexcept {
  return against.result != outcome::undecided && against.ratio.count >= rounds_to_decide;
}

/// The same comparison from the other side.
[[nodiscard]] comparison inverted(const comparison& against);

/// The comparison of figures that were not measured side by side, whose ratio estimate_ratio() returned.
[[nodiscard]] comparison make_comparison(const estimate& ratio, double negligible_share = usual_negligible_share);

/// Compares two candidates round by round if they share at least one; otherwise all trials of one with all of
/// the other, by estimate_ratio(). Precondition: both have usable trials.
[[nodiscard]] comparison compare(const candidate& first, const candidate& second, const comparison_rules& rules = {});
/// Returns only the ratio of seconds of that comparison. Precondition: both have usable trials.
[[nodiscard]] double seconds_ratio(const candidate& first, const candidate& second);

/// One candidate's CPU cost against another's.
struct cpu_cost_comparison {
  estimate ratio;        ///< the median ratio of CPU seconds per GB: below 1, the first is cheaper; 1 if both are 0
  bool differs = false;  ///< by more than the noise of costs: cpu_noise and cpu_noise_share
  bool sure = false;     ///< an interval shows it, which takes rounds_to_decide
};

/// Compares costs round by round if the candidates share two, otherwise by their medians. Precondition: both have
/// usable trials.
[[nodiscard]] cpu_cost_comparison compare_cpu_costs(const candidate& first, const candidate& second);

}  // namespace freshet::tool
