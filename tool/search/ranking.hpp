// How candidates of one class are compared and ranked.
//
// Speed comes first, but within 10 % the lower CPU bill of the whole machine wins. Two candidates with the same bill
// tie only if their speeds are known to lie within 3 % of each other; a comparison that is not known well enough is
// undecided. Among those that tie, the simplest plan wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/drift.hpp"
#include "tool/search/statistics.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr double near_enough = 1.10;      ///< the CPU bill decides up to this ratio of seconds
inline constexpr double clear_after_one = 2.5;   ///< ratio of seconds that one round does not show by bad luck
inline constexpr double clear_after_two = 1.5;   ///< nor two rounds or more, both of them
inline constexpr double tie_margin = 0.03;       ///< the interval of a tie lies within 1 ± this
inline constexpr unsigned rounds_to_decide = 6;  ///< fewer shared rounds have no interval, and decide nothing
inline constexpr double cpu_noise = 0.02;        ///< CPU s/GB by which two bills must differ, and
inline constexpr double cpu_noise_share = 0.10;  ///< the share of the higher one by which they must differ

/// A plan and its trials. The plan's size is that of the files to find a plan for; trials may be smaller.
struct candidate {
  trial_plan plan;
  std::vector<trial_result> trials = {};
  std::string dropped = {};  ///< why it left the search; empty while it may still win
};

[[nodiscard]] std::size_t count_usable(const candidate& entry);
/// Returns the trials that a candidate's figures are drawn from: its usable trials of the largest size of which it has
/// three, or all usable ones if it has three of no size.
[[nodiscard]] std::vector<const trial_result*> usable_samples(const candidate& entry);
/// Returns the median, over the usable samples, of the seconds that the class ranks by. Precondition:
/// count_usable(entry) > 0.
[[nodiscard]] double seconds_per_gb(const candidate& entry);
/// Returns the MB/s that these seconds come to. Precondition: count_usable(entry) > 0.
[[nodiscard]] double ranking_rate(const candidate& entry);
/// Returns the median CPU seconds of the whole machine over the usable samples. Precondition: count_usable(entry) > 0.
[[nodiscard]] double cpu_per_gb(const candidate& entry);

enum class outcome : std::uint8_t { better, worse, tie, undecided };

/// One candidate against another.
struct comparison {
  estimate ratio;       ///< of seconds: below 1, the first is faster
  bool paired = false;  ///< whether the ratio compares trials of the same rounds
  outcome result = outcome::undecided;
  /// If undecided: about how many more rounds would decide, at least 1. Empty if that cannot be estimated: intervals
  /// from fewer than three rounds mean nothing, and a ratio exactly on the limit is never decided.
  std::optional<std::size_t> rounds_to_go = {};
};

/// Compares two candidates round by round if they share at least two rounds, restricted to the largest size of which
/// they share three; otherwise by their medians. Precondition: both have usable trials.
[[nodiscard]] comparison compare(const candidate& first, const candidate& second);
/// Returns only the ratio of seconds of that comparison. Precondition: both have usable trials.
[[nodiscard]] double seconds_ratio(const candidate& first, const candidate& second);

/// Whether `first` wins a tie: it has the simpler method, then the smaller block, then the smaller depth, then no
/// reserved space.
[[nodiscard]] bool is_simpler(const trial_plan& first, const trial_plan& second);

/// Returns the index of the winner so far among the candidates that are not dropped (among all, if all are), or
/// candidates.size() if none has a usable trial. A candidate with a single trial wins only if no other has more, or
/// if it is more than twice as fast.
[[nodiscard]] std::size_t find_leader(std::span<const candidate> candidates);

/// A candidate's place in a ranking.
struct ranked_candidate {
  std::size_t index = 0;  ///< among the candidates
  trial_plan plan;
  std::uint64_t size = 0;  ///< bytes per file in its usable samples
  estimate rate;           ///< MB/s by the clock that the class ranks by
  double cpu_per_gb = 0;   ///< seconds
  comparison to_winner;    ///< it against the winner; a tie for the winner itself
  std::optional<double> bound_by_generator =
      {};  ///< MB/s of its ceiling, if its median is nearer than ceiling_distance
  std::string dropped = {};
};

/// Whether no trial suggests any longer that it may win: it is worse, or it was dropped and its whole interval lies
/// above 1.
[[nodiscard]] bool is_clearly_slower(const ranked_candidate& ranked);

/// A trial that took much longer or shorter than others of its plan. It counts like all others.
struct outlying_trial {
  trial_plan plan;
  unsigned round = 0;
  double times = 1;  ///< its seconds, as a multiple of the plan's median
};

enum class verdict_state : std::uint8_t { decided, tie, undecided };

/// The result of ranking the candidates of one class.
struct class_verdict {
  io_class measured_class = io_class::none;
  verdict_state state = verdict_state::undecided;
  std::vector<ranked_candidate> ranking = {};        ///< the winner first, then by speed; empty if no trial is usable
  std::map<std::string, std::size_t> left_out = {};  ///< number of unusable trials by reason
  std::vector<trial_plan> unmeasured = {};           ///< not dropped, but without a usable trial
  std::vector<outlying_trial> outliers = {};
  order_effects order = {};
};

/// How many more rounds would probably decide everything that is undecided.
struct rounds_needed {
  std::size_t rounds = 0;  ///< 0 if nothing is undecided
  bool at_least = false;   ///< `rounds` is a lower bound, because some candidates have too few rounds to tell
};
[[nodiscard]] rounds_needed estimate_rounds_needed(const class_verdict& verdict);

/// Returns how many times as long the winner may take as the best of all that were not shown to be slower than it,
/// whatever their bills, by the lower ends of their intervals; 1 if there are none. Empty where it cannot be said: a
/// candidate that may be faster shared too few rounds with the winner for an interval.
[[nodiscard]] std::optional<double> worst_case_ratio(const class_verdict& verdict);

/// Ranks `candidates`. The verdict's state concerns all that are not clearly slower than the winner.
[[nodiscard]] class_verdict rank_candidates(io_class measured_class, std::span<const candidate> candidates);

[[nodiscard]] std::string_view to_string(outcome result);
[[nodiscard]] std::string_view to_string(verdict_state state);

}  // namespace freshet::tool
