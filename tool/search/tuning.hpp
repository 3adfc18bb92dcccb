// All measurements of `freshet tune`: an answer for each class and, where there is more time, what else is worth
// knowing of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tool/search/answer.hpp"
#include "tool/search/racing.hpp"

namespace freshet::tool {

struct tune_setup {
  std::vector<trial_plan> seeds = {};          ///< for writing: an ordered plan for each method, with a good block
  std::vector<trial_plan> reading_seeds = {};  ///< for reading: a plan for each method, with a good block
  std::vector<trial_plan> baselines = {};      ///< programs to compare writing with
  std::set<std::string> past_cache = {};       ///< methods that bypass the page cache
  std::set<std::string> asynchronous = {};     ///< methods that have more in flight when they need not keep order
  std::vector<io_class> classes = {};
  std::vector<trial_plan> known =
      {};                            ///< what an earlier run found to be the best of each class, which takes part, too
  std::vector<io_class> fixed = {};  ///< those whose way in the profile takes every file to its end
  std::uint64_t size = 0;            ///< bytes of the file that is asked about
  double seconds = 0;                ///< for everything
  std::uint64_t bytes = 0;           ///< to be written at most in all, and to be read at most
  /// Whether time that the answers leave is used for other blocks, forecasts and what explains the machine.
  bool goes_on = false;
  std::uint64_t seed = 1;
  double negligible_share = usual_negligible_share;  ///< the share of the time from which a difference matters
};

/// The answer to one class's question, and what was measured beyond it.
struct class_result : answered_question {
  /// The recommended way with other blocks and depths, if there was time for them.
  std::optional<answered_question> refined = {};
  std::vector<program_files> programs = {};  ///< each by a process of its own, as recommended
  std::optional<prediction> next_file = {};  ///< of such programs; empty if too few were started
};

/// How the speed of the same work changed from the first third of all bytes to the last.
struct slowdown {
  double share = 0;         ///< of its speed that the disk lost; negative if it got faster
  double significance = 1;  ///< the probability of so clear a change by chance alone
  [[nodiscard]] bool noticed() const noexcept { return share > 0.1 && significance < 0.05; }
};

struct tuning {
  std::vector<class_result> classes;
  std::vector<trial_result> warm_up;  ///< not ranked: the first trial that writes, and the first that reads
  /// The best asynchronous plan of the first class that has one, then the same plan without order; empty if none was
  /// measured.
  std::vector<candidate> order_costs;
  /// The simplest page cache method on memory at rest, then on memory just freed, as far as they were measured.
  std::vector<candidate> memory;
  slowdown slowed;
  std::uint64_t size = 0;  ///< bytes of the file that was asked about
  std::uint64_t bytes_written = 0;
  double seconds = 0;
  bool interrupted = false;  ///< by a signal: later classes are missing
  std::string failure = {};  ///< what ended it early, such as a full disk; empty if nothing did
  [[nodiscard]] bool has_answer() const;
};

/// A trial's speed after so many bytes had been written in all.
struct sustained_rate {
  trial_plan plan;
  double bytes_before = 0;
  double bytes_per_second = 0;  ///< to disk
};

/// Compares the trials of each plan only with one another, so that it does not matter which plans were tried when.
[[nodiscard]] slowdown measure_slowdown(std::span<const sustained_rate> trials);

/// Returns the seconds in which these classes' questions are answered for files of 1 GiB, where disk and page cache
/// take 1 GB/s or more.
[[nodiscard]] double usual_seconds(std::span<const io_class> classes);

/// Answers the question of each class in turn, within a share of the time and bytes that are left. A class of reading
/// writes no more than the one file that all of them read. An error that concerns all plans alike, such as a full disk,
/// ends it with what was found until then, as a signal does. @throws freshet::error; interrupted  if nothing had been
/// found yet
[[nodiscard]] tuning tune(const tune_setup& setup, const trial_source& source);

}  // namespace freshet::tool
