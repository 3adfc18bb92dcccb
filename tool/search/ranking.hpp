// Who is faster: the rules by which plans of one class are compared and ranked.
//
// Speed comes first, but within 10 % the lower CPU bill of the whole machine wins. Two plans of the same bill tie only
// when their speeds are known to lie within 3 % of each other; what is not known well enough is undecided. Of a tie the
// simplest plan wins.
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

inline constexpr double near_enough = 1.10;         ///< up to this ratio of seconds the CPU bill decides
inline constexpr double tie_margin = 0.03;          ///< a tie's interval lies within 1 ± this
inline constexpr std::size_t rounds_to_decide = 5;  ///< fewer shared rounds decide nothing
inline constexpr double cpu_noise = 0.02;           ///< CPU seconds per GB that two bills must differ by, and
inline constexpr double cpu_noise_share = 0.10;     ///< the share of the higher one

/// A plan and its trials. Its size is that of the files looked for; trials may have been made with smaller ones.
struct candidate {
  trial_plan plan;
  std::vector<trial_result> trials = {};
  std::string dropped = {};  ///< why it left the search; empty while it may still win
};

/// Whether the trial counts: it was not found invalid.
[[nodiscard]] bool counts(const trial_result& made);
[[nodiscard]] std::size_t valid_trials(const candidate& who);
/// The trials that speak for its speed: those of the largest size that it was measured with three times, else all
/// valid.
[[nodiscard]] std::vector<const trial_result*> evidence(const candidate& who);
/// By the class's clock; median of the evidence. Precondition: valid_trials(who) > 0.
[[nodiscard]] double seconds_per_gb(const candidate& who);
/// The whole machine's CPU seconds; median of the evidence. Precondition: valid_trials(who) > 0.
[[nodiscard]] double cpu_per_gb(const candidate& who);

enum class outcome : std::uint8_t { better, worse, tie, undecided };

/// One plan against another.
struct comparison {
  estimate ratio;       ///< of seconds: below 1, the first is faster
  bool paired = false;  ///< whether the ratio is of trials of the same rounds
  outcome result = outcome::undecided;
  /// Of an undecided one: about how many more rounds would decide, at least 1. Empty where that cannot be told: fewer
  /// than three rounds have no interval worth the name, and what lies on the limit is never decided.
  std::optional<std::size_t> rounds_to_go = {};
};

/// Compares two plans, round by round where they share at least two rounds, then with those of the largest size that
/// they share three of. Precondition: both have valid trials.
[[nodiscard]] comparison compare(const candidate& first, const candidate& second, std::uint64_t seed);
/// The ratio of seconds alone, without an interval. Precondition: both have valid trials.
[[nodiscard]] double ratio(const candidate& first, const candidate& second);

/// Whether `first` is preferred of a tie: the simpler method, then the smaller block, then the smaller depth, then
/// without setting space aside.
[[nodiscard]] bool simpler(const trial_plan& first, const trial_plan& second);

/// The index of the winner so far among those not dropped (if all are, among all); field.size() where no one has a
/// valid trial. Who has a single trial wins only against others that have no more.
[[nodiscard]] std::size_t leader(std::span<const candidate> field, std::uint64_t seed);

/// A plan's place in a ranking.
struct ranked_candidate {
  std::size_t who = 0;  ///< its index in the field
  trial_plan plan;
  std::uint64_t size = 0;  ///< bytes per file in the trials that speak for it
  estimate rate;           ///< MB/s by the class's clock
  double cpu_per_gb = 0;   ///< seconds
  comparison to_winner;    ///< it against the winner; the winner's own says tie
  std::string dropped = {};
};

/// Whether nothing speaks for the plan any more: it is worse, or was dropped and its whole interval lies above 1.
[[nodiscard]] bool surely_slower(const ranked_candidate& who);

/// A trial that took much longer than others of its plan, or much shorter. It counts like all.
struct outlying_trial {
  trial_plan plan;
  unsigned round = 0;
  double times = 1;  ///< its seconds, as a multiple of the plan's median
};

enum class verdict_state : std::uint8_t { decided, tie, undecided };

/// What the trials of one class say.
struct verdict {
  io_class what = io_class::none;
  verdict_state state = verdict_state::undecided;
  std::vector<ranked_candidate> ranking = {};        ///< the winner first, then by speed; empty: no valid trial
  std::map<std::string, std::size_t> left_out = {};  ///< invalid trials by reason
  std::vector<trial_plan> unmeasured = {};           ///< without a valid trial, and not dropped
  std::vector<outlying_trial> outliers = {};
  order_effects order = {};
};

/// How many more rounds would probably decide whatever is undecided.
struct rounds_needed {
  std::size_t rounds = 0;  ///< 0: nothing is undecided
  bool at_least = false;   ///< the least that it takes, since some have too few rounds to tell
};
[[nodiscard]] rounds_needed rounds_to_decide_all(const verdict& found);

/// How many times as long the winner may take as the best of those that are not surely slower, by the lower ends of
/// their intervals; of those, that is, that shared three rounds with it: fewer have no interval worth the name. 1 where
/// there are none.
[[nodiscard]] double at_worst(const verdict& found);

/// Seeds the bootstrap of every ranking that is only shown again, so that equal trials have equal intervals.
inline constexpr std::uint64_t bootstrap_seed = 1;

/// Ranks `field`. The state is about all who are not surely slower than the winner.
[[nodiscard]] verdict rank_candidates(io_class what, std::span<const candidate> field, std::uint64_t seed);

[[nodiscard]] std::string_view to_string(outcome what);
[[nodiscard]] std::string_view to_string(verdict_state what);

}  // namespace freshet::tool
