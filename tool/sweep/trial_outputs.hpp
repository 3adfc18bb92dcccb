// The directories that the trials of a sweep write to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tool/measure/clock.hpp"

namespace freshet::tool {

/// Gives each trial a directory. Before the next trial, the files are emptied, which frees their space and memory, but
/// not removed, because some file systems create files several times as slowly after others were removed.
class trial_outputs {
 public:
  /// Creates the directories in `directory`, whose owner removes them, and keeps at most `most_files` emptied files.
  trial_outputs(std::filesystem::path directory, std::uint64_t most_files);

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

}  // namespace freshet::tool
