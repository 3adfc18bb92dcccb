// How candidates of one class are ranked: a leading group, and the pick in it.
//
// The leading group are all that were not shown to be slower than another of it by more than what matters, 5 %, and all
// whose figures are better than the pick's in files of its size. The pick is the one with the lowest CPU cost of those
// that look no slower than that; of those with the same cost, the simplest method; of that method, those on the volume
// made with the fewest options; and of these, the plan with the method's usual block and depth or, if that is not among
// them, the fastest. A plan that changes its method while it writes, which programs that name none do, is ranked as
// well, but not picked where others keep theirs; nor is one that knew something before, where others did not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"
#include "tool/search/candidate_figures.hpp"
#include "tool/search/comparison.hpp"
#include "tool/search/drift.hpp"
#include "tool/search/statistics.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr double largest_regret = 0.25;  ///< a pick that may cost more than this share is undecided

/// Whether the plan has the block and depth that its method has where nobody says otherwise.
[[nodiscard]] bool is_usual(const trial_plan& plan);

/// Whether the plan's method changes between others while a file is written (adaptive).
[[nodiscard]] bool changes_method(const trial_plan& plan);

/// Whether the plan is what programs get that name no method, without a profile and by their first file.
[[nodiscard]] bool is_by_itself(const trial_plan& plan);

/// Returns the index of the pick so far among the candidates that are not dropped (among all, if all that have a usable
/// trial are), or
/// candidates.size() if none has a usable trial. Baselines cannot be picked, and plans that change their method only if
/// there are no others. A candidate with a single trial is picked only if no other has more, or if it is more than
/// twice as fast.
[[nodiscard]] std::size_t find_leader(std::span<const candidate> candidates,
                                      double negligible_share = usual_negligible_share);

/// Where a candidate stands in a verdict.
enum class rank_class : std::uint8_t {
  pick,
  leading,       ///< it was not shown to be slower than the pick by more than what matters, or has better figures
  not_in_final,  ///< nor this one, but it took no part in the pick's last rounds, because it did not look good enough,
                 ///< and its figures are not better than the pick's
  slower,        ///< shown to be slower than one of the leading group by more than what matters
  baseline,      ///< what programs do today; it cannot win
};
template <>
inline constexpr auto enum_names<rank_class> = std::to_array<std::string_view>({"pick", "leading", "left_early",
                                                                                "slower", "baseline"});

/// A candidate's place in a ranking.
struct ranked_candidate {
  std::size_t index = 0;  ///< among the candidates
  trial_plan plan;
  rank_class place = rank_class::leading;
  std::uint64_t size = 0;     ///< bytes per file in its usable samples
  estimate rate;              ///< MB/s by the clock that the class ranks by
  double cpu_per_gb = 0;      ///< seconds
  comparison to_leader = {};  ///< its seconds against those of `leader`
  std::size_t leader = 0;     ///< among the candidates: the pick or, where it is slower, the one that shows it best
  cpu_cost_comparison cpu_cost = {};  ///< its CPU cost against the pick's; 1 for the pick itself
  std::optional<double> bound_by_generator =
      {};  ///< MB/s of its ceiling, if its median is nearer than ceiling_distance
  std::string dropped = {};
  std::map<std::string, std::size_t> left_out = {};  ///< its trials that do not count, by reason
  bool may_be_picked = true;  ///< false if it changes its method, or knew something before, and the pick does not
  /// Whether it, or it and its leader together, took part in fewer rounds than decide anything.
  [[nodiscard]] bool has_few_rounds() const noexcept {
    if (rate.count < rounds_to_decide) return true;
    return to_leader.paired ? to_leader.ratio.count < rounds_to_decide : !to_leader.ratio.has_interval();
  }
  /// Whether it may win or be as good: the pick, or not shown to be slower.
  [[nodiscard]] bool may_lead() const noexcept { return place != rank_class::slower && place != rank_class::baseline; }
};

/// Trials that others disturbed, and by what.
struct disturbances {
  std::size_t trials = 0;     ///< of all
  std::size_t disturbed = 0;  ///< of these
  std::size_t counted = 0;    ///< disturbed ones that count, because there are too few others
  std::string reason = {};    ///< the most frequent one
};
[[nodiscard]] disturbances find_disturbances(std::span<const candidate> candidates);

/// A trial that took much longer or shorter than others of its plan. It counts like all others.
struct outlying_trial {
  trial_plan plan;
  unsigned round = 0;
  double times = 1;  ///< its seconds, as a multiple of the plan's median
};

enum class verdict_state : std::uint8_t {
  decided,    ///< the pick costs at most largest_regret
  alike,      ///< no candidate differs from another by more than what matters
  undecided,  ///< the pick may cost more than largest_regret
  failed,     ///< nothing was told apart
};
template <>
inline constexpr auto enum_names<verdict_state> = std::to_array<std::string_view>({"decided", "alike", "undecided",
                                                                                   "failed"});

/// What the pick was chosen by among all that may lead.
enum class decided_by : std::uint8_t {
  speed,       ///< all others are slower
  cpu_cost,    ///< others may be as fast, but have a higher CPU cost
  simplicity,  ///< others may be as fast and have the same cost
};
template <>
inline constexpr auto enum_names<decided_by> = std::to_array<std::string_view>({"speed", "bill", "simplicity"});

/// The result of ranking the candidates of one class.
struct class_verdict {
  io_class measured_class = io_class::none;
  verdict_state state = verdict_state::failed;
  decided_by reason = decided_by::speed;
  double negligible_share = usual_negligible_share;
  /// How many times as long the pick may take as the best of those that met in its last rounds. Empty where that cannot
  /// be said: there is no pick, or one of them shared too few rounds with it.
  std::optional<double> at_worst = {};
  /// The pick first, then the others of the leading group by speed, those that left early, and those shown to be
  /// slower; empty if no trial is usable. The baselines are not among them.
  std::vector<ranked_candidate> ranking = {};
  std::vector<ranked_candidate> baselines = {};
  std::map<std::string, std::size_t> left_out = {};  ///< number of unusable trials by reason
  disturbances disturbed = {};
  std::vector<trial_plan> unmeasured = {};  ///< not dropped, but without a usable trial
  std::vector<outlying_trial> outliers = {};
  order_effects order = {};
  /// Whether the trials met memory that was slow to touch. The ranking is that of the state that most trials met; if
  /// two or more candidates also met the other one, `other_memory` has a verdict on that, else it is null.
  bool met_slow_memory = false;
  std::shared_ptr<const class_verdict> other_memory = {};
  /// The pick's seconds against those of what programs get by themselves; empty if either is missing.
  std::optional<comparison> gain = {};
  /// The seconds that programs take with the profile that was tried, against those that they take by themselves; empty
  /// if either is missing.
  std::optional<comparison> profile_gain = {};
  /// The seconds of recommended() against those of the first baseline; empty without one.
  std::optional<comparison> over_baseline = {};
  /// What programs get without a profile: the first of the ranking that does not compete or, where nothing else was
  /// measured, the pick; null if there is none.
  [[nodiscard]] const ranked_candidate* find_by_themselves() const;
  /// What programs get with a profile; null if none was tried.
  [[nodiscard]] const ranked_candidate* find_with_profile() const;
  /// What programs should use: the profile, if they were shown to be faster with it; else the pick, unless it was not
  /// shown to be faster than what they get by themselves. Precondition: the ranking is not empty.
  [[nodiscard]] const ranked_candidate& recommended() const;
  [[nodiscard]] std::size_t count(rank_class place) const;
};

/// Returns about how many more rounds would decide: at which at_worst falls to largest_regret, if the ratios stay the
/// same. At least 1; empty if the state is not undecided or failed, or if it cannot be estimated.
[[nodiscard]] std::optional<std::size_t> estimate_rounds_needed(const class_verdict& verdict);

/// Ranks `candidates`. `negligible_share` is the share of the time from which a difference matters.
[[nodiscard]] class_verdict rank_candidates(io_class measured_class, std::span<const candidate> candidates,
                                            double negligible_share = usual_negligible_share);

}  // namespace freshet::tool
