// A whole sweep, from its corpora to its last trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tool/ranks/ranks.hpp"
#include "tool/sweep/pace.hpp"
#include "tool/sweep/plan.hpp"
#include "tool/sweep/sweep_trial.hpp"

namespace freshet::tool {

/// What is asked for.
struct sweep_order {
  std::filesystem::path directory;
  sweep_plan plan;
  bool fits_scale = true;    ///< the plan's scale is to be found so that it takes plan.seconds
  bool takes_sample = true;  ///< so that it can be told how long it will take; fitting a scale needs it, too
  std::uint64_t max_bytes = 0;
  bool force = false;  ///< even if it does not fit the free space
};

struct sweep_result {
  sweep_plan plan;
  std::vector<sweep_trial> trials;  ///< in the order in which they were made
  unsigned rounds = 0;
  unsigned machines = 1;    ///< that the ranks run on
  unsigned processors = 1;  ///< of all machines
  double seconds = 0;
  std::uint64_t bytes_written = 0;
  std::set<std::string> gaps;  ///< what a cold start may have left in memory
};

/// Hears at rank 0 how far it is.
struct sweep_listener {
  /// What is done next, and how long it will take in all; negative: not known.
  std::function<void(const std::string& what, double seconds_left)> step;
  /// Before the first trial: the plan with its scale, the rounds that it takes at least, and how long they take.
  std::function<void(const sweep_plan& plan, unsigned rounds, double seconds)> begins;
  /// After each trial, but for those of the sample.
  std::function<void(const sweep_plan& plan, const sweep_trial& made)> keep;
};

/// Makes it, in a directory of its own below order.directory, which is removed in the end. Called by all ranks;
/// complete at rank 0. @throws as run_on_all(): freshet::error where it does not fit the disk or the budget, or there
/// can be no cold start
[[nodiscard]] sweep_result run_sweep(const sweep_order& order, ranks& all, const sweep_listener& listener);

}  // namespace freshet::tool
