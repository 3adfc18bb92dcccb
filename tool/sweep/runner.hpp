// Where the trials of a sweep take place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tool/ranks/ranks.hpp"
#include "tool/sweep/plan.hpp"
#include "tool/sweep/sweep_trial.hpp"
#include "tool/sweep/trial_outputs.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// One rank's part of all trials of a plan. All functions are called by all ranks in the same order, and throw as
/// run_on_all() does.
class sweep_runner {
 public:
  /// Finds the plan's corpora in `directory`, each by its name; what comes out of them goes to rank 0's `outputs`.
  /// Precondition: `all` and `outputs` outlive it.
  sweep_runner(std::filesystem::path directory, sweep_plan plan, ranks& all, trial_outputs& outputs);

  /// One trial with a clean start: nothing of the last one is left to be written, the page cache's memory is at rest
  /// (with several ranks, who may share a machine, it is as it comes), and the input is in the cache, or is not.
  /// Its figures are complete at rank 0. A strategy that fails has failed its trial only.
  [[nodiscard]] sweep_trial run(const sweep_cell& cell);

  /// What a cold start may have left in memory, for want of a privilege.
  [[nodiscard]] const std::set<std::string>& gaps() const noexcept { return gaps_; }

 private:
  struct corpus {
    std::filesystem::path directory;
    std::vector<input_file> files;  ///< this rank's share
    std::vector<std::filesystem::path> paths;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_out = 0;  ///< that must come out of it
  };
  /// A corpus at a work level: what comes out of it is always the same.
  using outcome = std::pair<std::size_t, unsigned>;
  /// What came out of it first, and of which cell.
  struct reference {
    std::uint64_t sum = 0;
    sweep_cell cell;
  };

  [[nodiscard]] corpus find_corpus(std::size_t number) const;
  void prepare(const sweep_cell& cell, sweep_trial& made, sweep_share& share);
  void check_warm(const corpus& input, sweep_trial& made, sweep_share& share) const;
  void check_cold(const corpus& input, sweep_share& share);
  void measure(const sweep_cell& cell, sweep_trial& made, sweep_share& share);
  void encrypt_share(const sweep_cell& cell, sweep_trial& made) const;
  void check_output(const sweep_cell& cell, sweep_share& share);
  [[nodiscard]] std::uint64_t bytes_on_disk(const sweep_trial& made) const;
  [[nodiscard]] std::string compare_output(const sweep_cell& cell);

  std::filesystem::path directory_;
  sweep_plan plan_;
  ranks& all_;
  trial_outputs& outputs_;
  std::filesystem::path output_;  ///< of the trial that is made
  std::string machine_;
  std::set<int> processes_;  ///< at rank 0: of all ranks; on other machines the numbers mean nothing
  std::vector<corpus> corpora_;
  std::optional<trial_runner> runner_;
  std::map<outcome, reference> references_;
  std::vector<std::pair<sweep_cell, std::string>> verdicts_;  ///< of cells whose output was compared; "": the same
  std::set<std::string> gaps_;
};

}  // namespace freshet::tool
