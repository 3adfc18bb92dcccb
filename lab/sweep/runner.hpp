// Runs the trials of a sweep, each of which writes to a directory of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/ranks/ranks.hpp"
#include "lab/sweep/plan.hpp"
#include "lab/sweep/sweep_trial.hpp"
#include "tool/base/clock.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// Gives each trial a directory. Before the next trial, the files are emptied, which frees their space and memory, but
/// not removed, because some file systems create files several times as slowly after others were removed.
class trial_outputs {
 public:
  /// Creates the directories in `directory`, whose owner removes them, and keeps at most `most_files` emptied files.
  trial_outputs(std::filesystem::path directory, std::uint64_t most_files);

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  /// Empties the files of the last trial and creates a directory for `files` more. If that would be too many in all,
  /// removes the directories of all earlier trials. @throws freshet::error; interrupted
  [[nodiscard]] std::filesystem::path next(std::uint64_t files);

  /// Whether files were removed so recently that the creation of others may still be slow.
  [[nodiscard]] bool removed_shortly_before() const;

 private:
  void remove_all();

  std::filesystem::path directory_;
  std::uint64_t most_files_;
  unsigned created_ = 0;
  std::vector<std::filesystem::path> kept_;  ///< the last one is that of the last trial
  std::uint64_t files_ = 0;                  ///< in all of `kept_`
  std::optional<stopwatch> removed_;
};

/// The number of emptied files that a sweep may keep if `available` bytes are free: a quarter of those that fit, a
/// million at most.
[[nodiscard]] std::uint64_t most_emptied_files(std::uint64_t available) noexcept;

/// One rank's part of all trials of a plan. All ranks call every function, in the same order. All functions throw as
/// run_on_all() does.
class sweep_runner {
 public:
  /// Finds the corpora that the sweep created in `directory`, each by its name. The trials write to the root's
  /// `outputs`.
  /// Precondition: `all` and `outputs` outlive the runner.
  sweep_runner(std::filesystem::path directory, sweep_plan plan, ranks& all, trial_outputs& outputs);

  /// Runs one trial with a clean start: nothing of the last trial is left to be written, free memory is at rest (with
  /// several ranks, which may share a machine, memory is left as it is), and the page cache holds the input, or nothing
  /// of it. The result is complete at the root. If the strategy fails, only its trial fails.
  [[nodiscard]] sweep_trial run(const sweep_cell& cell);

  /// What may have stayed in memory at a cold start because a privilege is missing.
  [[nodiscard]] const std::set<std::string>& caveats() const noexcept { return caveats_; }

 private:
  struct corpus {
    std::filesystem::path directory;
    std::vector<input_file> files;  ///< this rank's share
    std::vector<std::filesystem::path> paths;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_out = 0;  ///< of its correct output
  };
  /// A corpus and a work level, which determine the output.
  using output_key = std::pair<std::size_t, unsigned>;
  /// The first output for a key, and the cell that wrote it.
  struct reference {
    std::uint64_t checksum = 0;
    sweep_cell cell;
  };

  [[nodiscard]] corpus find_corpus(std::size_t number) const;
  void prepare(const sweep_cell& cell, sweep_trial& trial, sweep_share& share);
  static void check_warm(const corpus& input, sweep_trial& trial, sweep_share& share);
  void check_cold(const corpus& input, sweep_share& share);
  void measure(const sweep_cell& cell, sweep_trial& trial, sweep_share& share);
  void encrypt_share(const sweep_cell& cell, sweep_trial& trial, trial_clock& clock) const;
  void check_output(const sweep_cell& cell, sweep_share& share);
  [[nodiscard]] std::uint64_t bytes_on_disk(const sweep_trial& trial) const;
  [[nodiscard]] std::string compare_output(const sweep_cell& cell);

  std::filesystem::path directory_;
  sweep_plan plan_;
  ranks& all_;
  trial_outputs& outputs_;
  std::filesystem::path output_;  ///< of the current trial
  std::string machine_;
  std::set<int> processes_;  ///< at the root: of all ranks; the numbers mean nothing on other machines
  std::vector<corpus> corpora_;
  std::optional<trial_runner> runner_;
  std::map<output_key, reference> references_;
  std::vector<std::pair<sweep_cell, std::string>>
      verdicts_;  ///< of cells whose output was compared; empty if it was correct
  std::set<std::string> caveats_;
};

}  // namespace freshet::tool
