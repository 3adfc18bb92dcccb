// A whole sweep, from its corpora to its last trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "lab/ranks/ranks.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/sweep_trial.hpp"

namespace freshet::tool {

/// What the user asks for.
struct sweep_order {
  std::filesystem::path directory;
  std::filesystem::path input = {};   ///< the corpus, which is only read; empty: those of the plan, in `directory`
  std::filesystem::path output = {};  ///< an empty directory for the outputs; empty: `directory`
  sweep_plan plan;
  /// Run the first round at least_fitting_scale. If plan.seconds allow for a notably larger scale, drop that round and
  /// start again at the larger scale.
  bool fits_scale = true;  ///< only for corpora of the plan
  std::uint64_t max_bytes = 0;
  bool force = false;  ///< skip the check of the free space
};

struct sweep_result {
  sweep_plan plan;
  std::vector<sweep_trial> trials;  ///< in the order in which they were run
  unsigned rounds = 0;              ///< complete ones
  std::size_t missing = 0;          ///< trials of a round that the end of the time cut short
  unsigned machines = 1;            ///< that the ranks run on
  unsigned processors = 1;          ///< of all machines
  double seconds = 0;
  std::uint64_t bytes_written = 0;
  std::set<std::string> caveats;  ///< what may have stayed in memory at a cold start
};

/// Where the outputs of the trials go: what is measured.
[[nodiscard]] inline const std::filesystem::path& place_of_outputs(const sweep_order& order) {
  return order.output.empty() ? order.directory : order.output;
}

/// Functions that are called at the root as the sweep goes on. Each may be empty.
struct sweep_listener {
  /// Before each step: what it is, and the seconds until the end, which are negative as long as they are not known.
  std::function<void(const std::string& state, double seconds_left)> progress;
  /// Before the first trial: the plan and the least number of rounds.
  std::function<void(const sweep_plan& plan, unsigned rounds)> start;
  /// After the first of several rounds: the same, the scale found, and the seconds that those rounds take in all.
  std::function<void(const sweep_plan& plan, unsigned rounds, double seconds)> estimate;
  /// For each trial that is part of the result.
  std::function<void(const sweep_plan& plan, const sweep_trial& trial)> record;
};

/// Runs a sweep in a directory of its own below order.directory, and removes that directory at the end. All ranks call
/// it; the result is complete at the root. @throws as run_on_all(): freshet::error if the sweep does not fit the disk
/// or the budget, or if a cold start is not possible
[[nodiscard]] sweep_result run_sweep(const sweep_order& order, ranks& all, const sweep_listener& listener);

}  // namespace freshet::tool
