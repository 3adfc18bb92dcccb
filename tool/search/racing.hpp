// The search: which trial next, and when to stop. It knows nothing of disks; what it asks of the world is a
// `trial_source`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tool/search/ranking.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What the search is doing.
struct race_progress {
  const trial_plan& running;        ///< the trial about to start
  const candidate* best = nullptr;  ///< so far; null before the first valid trial
  double seconds_left = 0;
};

/// What a search needs of the world; tests bring their own.
struct trial_source {
  std::function<trial_result(const trial_plan&)> run;        ///< does one trial
  std::function<double()> now;                               ///< seconds from any moment on
  std::function<void(const race_progress&)> show = nullptr;  ///< called before each trial; may be empty
  /// Called after each trial, which a warm-up's is `ranked` nowhere; may be empty.
  std::function<void(const trial_result& made, bool ranked)> keep = nullptr;
};

/// What may be used up.
struct budget {
  double until = 0;         ///< on the course's clock
  std::uint64_t bytes = 0;  ///< that may still be written, or read in a race of reading
};

enum class race_end : std::uint8_t { settled, time, bytes };

/// Trials in rounds: each candidate picked once, in random order, all of the same size. Keeps to the allowance and
/// counts down its bytes. A plan that cannot be run here is dropped with the reason; what concerns all plans alike (a
/// full disk, no permission, an interruption) is thrown on.
class round_runner {
 public:
  /// `seconds_per_byte` is what to expect before the first trial; 0: not known.
  round_runner(const trial_source& on, budget& left, std::uint64_t seed, double seconds_per_byte = 0);

  /// Runs one round; false, with end() saying why, where the allowance cuts it short. Who is dropped sits it out.
  bool run_round(std::span<candidate> field, const std::vector<std::size_t>& picked, std::uint64_t size);

  /// The largest size, `full` halved as often as needed but not below `least`, at which `rounds` rounds of the picked
  /// will probably fit into `share` of the whole allowance.
  [[nodiscard]] std::uint64_t fitting_size(std::span<const candidate> field, const std::vector<std::size_t>& picked,
                                           unsigned rounds, double share, std::uint64_t full,
                                           std::uint64_t least) const;

  /// The share of the allowance that is used up, of time or bytes, whichever is more.
  [[nodiscard]] double spent() const;
  [[nodiscard]] race_end end() const { return end_; }

 private:
  [[nodiscard]] double expected_seconds(const candidate& who, std::uint64_t size) const;
  [[nodiscard]] bool affords(const candidate& who, std::uint64_t size);
  void run_one(candidate& who, std::uint64_t size, unsigned position);

  const trial_source& source_;
  budget& left_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  double start_;
  std::uint64_t bytes_at_start_;
  unsigned round_ = 0;
  unsigned trials_ = 0;
  double overhead_ = 0;  ///< seconds around all trials: preparing and cleaning up
  double seconds_ = 0;   ///< of all trials, to disk
  double bytes_ = 0;     ///< of all trials
  race_end end_ = race_end::settled;
};

/// Where and how far a race looks.
struct race_setup {
  io_class what = io_class::none;
  std::uint64_t size = 0;                              ///< bytes of the files that it looks for the best way for
  std::uint64_t least_size = std::uint64_t{64} << 20;  ///< bytes; to save time, trials may be smaller, down to this
  double seconds_per_byte = 0;                         ///< that a trial probably takes; 0: not known
  std::set<std::string> past_cache = {};               ///< methods that go past the page cache
  std::size_t smallest_block = std::size_t{64} << 10;
  std::size_t largest_block = std::size_t{16} << 20;
  std::size_t largest_memory = std::size_t{64} << 20;  ///< bytes of all blocks that a plan has in memory
  std::uint64_t seed = 1;
};

struct race_result {
  std::vector<candidate> field;  ///< everyone that took part, those dropped included
  race_end end = race_end::settled;
};

/// Finds the best plan from `seeds` on, one for each method, and the same methods with other blocks, and with space set
/// aside or, of those that read ahead, with other depths. Three stages: all seeds, with small files where time is
/// short; then other blocks for methods within 25 % of the best; then the best few against each other at full size,
/// until the winner is settled. Losers leave on the way.
[[nodiscard]] race_result race(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& on,
                               budget& left);

/// All plans that race() can reach from `seeds`.
[[nodiscard]] std::vector<trial_plan> reachable_plans(const race_setup& setup, std::span<const trial_plan> seeds);

}  // namespace freshet::tool
