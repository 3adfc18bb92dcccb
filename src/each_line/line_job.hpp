// A run of each_line: the blocks of lines that pass through its pipeline, and the state that its stages share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <freshet/each_line.hpp>

#include "src/each_line/settings.hpp"

namespace freshet::detail {

/// A block of lines, or a small file as a whole.
struct line_block {
  text_memory in;
  line_sink out;
  std::size_t file = 0;      ///< index of the file
  std::uint64_t number = 0;  ///< blocks are numbered in order
  std::uint64_t offset = 0;  ///< bytes from the file's start
  bool whole_file = false;
  bool first = false;               ///< of its file
  bool last = false;                ///< of its file
  std::uint64_t lines = 0;          ///< number of lines transformed
  each_line_progress unreported{};  ///< what was done and not yet added to the run's progress
  std::exception_ptr failure{};     ///< the reason why not all lines were transformed
  bool function_failed = false;     ///< whether the function threw it, for the line after those transformed
};

/// A pool of blocks that all stages use at the same time.
class block_pool {
 public:
  explicit block_pool(const each_line_sizes& sizes) noexcept : sizes_{sizes} {}
  [[nodiscard]] line_block& take();
  void release(line_block& block) noexcept;

 private:
  const each_line_sizes& sizes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<line_block>> all_;
  std::vector<line_block*> idle_;  // the last one is reused first, because it is in the processor's cache
};

/// Counts what was done, and tells the program. Several threads use it.
class progress_report {
 public:
  explicit progress_report(const each_line_options& options) noexcept : options_{options} {}
  /// Adds `more`, and reports all of it if the last report was some time ago. @throws what options.progress throws
  void add(const each_line_progress& more);
  /// Reports for the last time. Returns all that was done. @throws what options.progress throws
  each_line_progress finish();

 private:
  const each_line_options& options_;
  std::mutex mutex_;  // also held while the program is told
  each_line_progress done_;
  std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
};

/// A run. It reads and writes `files`, or reads `in` and writes `out`.
struct line_job {
  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  std::span<const file_pair> files{};
  reader* in = nullptr;
  writer* out = nullptr;
  const each_line_options& options;
  each_line_sizes sizes;
  block_pool pool{sizes};
  progress_report progress{options};
  std::atomic<std::uint64_t> first_failed = none;  ///< number of the first block that has failed so far

  /// Records that block `number` failed: later blocks need not be transformed.
  void note_failure(std::uint64_t number) noexcept;
  /// @throws freshet::error  if a stop was requested
  void throw_if_stopped(std::size_t file) const;
  /// Calls the user's function before a file's output appears. @throws what that function throws
  void accept(std::size_t file) const {
    if (options.accept) options.accept(files[file]);
  }
  /// Returns the input's path; empty if it has no name.
  [[nodiscard]] std::filesystem::path input_path(std::size_t file) const;
};

}  // namespace freshet::detail
