// Where the trials of a sweep write to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tool/measure/clock.hpp"

namespace freshet::tool {

/// A directory for each trial. What a trial wrote is emptied before the next one, so that its space and memory are
/// free, but not deleted: where files were deleted, some file systems make the next ones several times as slowly.
class trial_outputs {
 public:
  /// Makes its directories in `directory`, whose owner removes them, and keeps at most `most_files` emptied files.
  trial_outputs(std::filesystem::path directory, std::uint64_t most_files);

  /// Empties what the last trial wrote, and makes a directory for `files` others; where that would be too many in all,
  /// removes those of all trials before. @throws freshet::error; interrupted
  [[nodiscard]] std::filesystem::path next(std::uint64_t files);

  /// Whether files were removed so shortly ago that those to be made may still be slowed down.
  [[nodiscard]] bool removed_shortly_before() const;

 private:
  void remove_all();

  std::filesystem::path directory_;
  std::uint64_t most_files_;
  unsigned made_ = 0;
  std::vector<std::filesystem::path> kept_;  ///< the last is the last trial's
  std::uint64_t files_ = 0;                  ///< in all kept ones
  std::optional<stopwatch> removed_;
};

/// How many emptied files a sweep may keep where `available` bytes are free: a quarter of those that fit, a million at
/// most.
[[nodiscard]] std::uint64_t most_emptied_files(std::uint64_t available) noexcept;

}  // namespace freshet::tool
