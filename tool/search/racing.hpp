// The search: decides which trial comes next and when to stop. It knows nothing of disks: a `trial_source` runs trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/profile.hpp>

#include "tool/search/prediction.hpp"
#include "tool/search/ranking.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What the search is doing.
struct race_progress {
  const trial_plan& running;        ///< the trial about to start
  const candidate* best = nullptr;  ///< so far; null before the first valid trial
  double seconds_left = 0;
};

/// Everything that a search needs from outside. Tests replace it by a simulated machine.
struct trial_source {
  std::function<trial_result(const trial_plan&)> run;        ///< runs one trial
  std::function<double()> now;                               ///< a clock in seconds, with any origin
  std::function<void(const race_progress&)> show = nullptr;  ///< called before each trial; may be empty
  std::function<void(const trial_result& trial, trial_purpose)> keep = nullptr;  ///< called after each; may be empty
  /// Starts a process that writes two files by the plan. Without it, nothing is predicted.
  std::function<program_files(const trial_plan&)> run_program = nullptr;
  /// Makes later trials whose prior is the profile use this entry, whose key is empty. Without it, no profile is tried.
  std::function<void(const file_system_profile& entry)> use_profile = nullptr;
};

/// The time and bytes that may still be used.
struct budget {
  double until = 0;         ///< on the clock of the trial_source
  std::uint64_t bytes = 0;  ///< that may still be written, or read in a race of reading
};

/// What a trial probably takes; 0 if unknown.
struct trial_cost {
  double seconds_per_byte = 0;
  double overhead_seconds = 0;  ///< seconds to prepare it, and to clean up after it
};

enum class race_end : std::uint8_t { settled, time, bytes, interrupted, failed };

/// Runs trials in rounds: each picked candidate once, in random order, with files of one size. Keeps within the budget
/// and counts down its bytes. A plan that cannot run here is dropped with the reason; an error that concerns all plans
/// alike (a full disk, no permission) is rethrown. A signal ends the round as an empty budget does.
class round_runner {
 public:
  /// `expected` is what a trial probably takes before the first one has shown it. The trials are marked as screening
  /// ones until begin_ranking(), if there is `screening` at all.
  round_runner(const trial_source& source, budget& left, std::uint64_t seed, trial_cost expected = {},
               bool screening = false);

  /// Runs one round without the candidates that were dropped. Returns false if the budget cut it short; end() then says
  /// which part of the budget was used up.
  bool run_round(std::span<candidate> candidates, const std::vector<std::size_t>& picked, std::uint64_t size);

  /// From now on, trials count for the ranking; until then they screen.
  void begin_ranking() { screening_ = false; }
  /// Goes on with the ranking behind the rounds of these candidates.
  void go_on_after(std::span<const candidate> candidates);

  /// Returns the largest size at which `rounds` rounds of the picked candidates probably fit into `share` of the whole
  /// budget: `full`, halved as often as needed but not below `least`, nor where that hardly saves time.
  [[nodiscard]] std::uint64_t fitting_size(std::span<const candidate> candidates,
                                           const std::vector<std::size_t>& picked, unsigned rounds, double share,
                                           std::uint64_t full, std::uint64_t least) const;

  /// Whether so many rounds of the picked candidates probably fit into what is left of the budget.
  [[nodiscard]] bool fits(std::span<const candidate> candidates, const std::vector<std::size_t>& picked,
                          unsigned rounds, std::uint64_t size) const;

  /// Returns the share of the budget that is used up, of time or of bytes, whichever is larger.
  [[nodiscard]] double spent() const;
  [[nodiscard]] race_end end() const { return end_; }
  [[nodiscard]] bool may_go_on() const { return end_ == race_end::settled; }

 private:
  [[nodiscard]] budget expected_cost(std::span<const candidate> candidates, const std::vector<std::size_t>& picked,
                                     std::uint64_t size) const;
  [[nodiscard]] double expected_seconds(const candidate& entry, std::uint64_t size) const;
  [[nodiscard]] bool affords(const candidate& entry, std::uint64_t size);
  [[nodiscard]] bool is_interrupted();
  void run_one(candidate& entry, std::uint64_t size, unsigned position);

  const trial_source& source_;
  budget& left_;
  std::mt19937_64 random_;
  double start_;
  std::uint64_t bytes_at_start_;
  unsigned round_ = 0;
  unsigned trials_ = 0;
  bool screening_;
  double overhead_ = 0;  // seconds spent around all trials: preparing and cleaning up
  double seconds_ = 0;   // of all trials, to disk
  double bytes_ = 0;     // of all trials
  race_end end_ = race_end::settled;
};

/// How a race varies plans, if not by their blocks and depths.
struct race_variations {
  /// The family of a plan: few plans of one family are varied, and meet in the final.
  std::function<std::string(const trial_plan& plan)> family;
  std::function<std::vector<trial_plan>(const trial_plan& plan)> coarse;  ///< of the best of each family
  std::function<std::vector<trial_plan>(const trial_plan& plan)> fine;    ///< of the best of all
};

/// What a race looks for, and how far it goes.
struct race_setup {
  io_class measured_class = io_class::none;
  std::uint64_t size = 0;                              ///< bytes of the files to find the best plan for
  std::uint64_t least_size = std::uint64_t{64} << 20;  ///< bytes; trials may be smaller to save time, down to this
  trial_cost expected = {};                            ///< of a trial
  std::set<std::string> past_cache = {};               ///< methods that bypass the page cache
  std::size_t smallest_block = std::size_t{64} << 10;
  std::size_t largest_block = std::size_t{16} << 20;
  unsigned largest_depth = 64;
  std::size_t largest_memory = std::size_t{64} << 20;  ///< bytes of all blocks that one plan holds in memory
  double negligible_share = usual_negligible_share;    ///< the share of the time from which a difference matters
  std::vector<trial_plan> baselines = {};              ///< to compare with; they take part in the first rounds
  std::optional<race_variations> variations = {};      ///< empty: a method's plans with other blocks and depths
  std::uint64_t seed = 1;
};

struct race_result {
  std::vector<candidate> candidates;  ///< all that took part, including those that were dropped
  race_end end = race_end::settled;
  std::string failure = {};  ///< what ended it, if it failed
};

/// Finds the best plan, starting from `seeds`, one for each method. Tries the same methods with other blocks
/// and, if they read ahead, other depths. There are three stages: all seeds, with small files if time is short; then
/// other blocks for the methods within 25 % of the best; then the best few against each other at full size, as long as
/// the budget lasts or until they are known to be alike. On the way, candidates are dropped as soon as planned looks
/// show that they are slower by more than what matters.
[[nodiscard]] race_result race(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& source,
                               budget& left);

}  // namespace freshet::tool
