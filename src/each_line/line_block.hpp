// What goes through the pipeline of freshet::each_line, and what its stages share.
#pragma once

#include <atomic>
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

#include "src/each_line/sizes.hpp"

namespace freshet::detail {

/// A block of lines on its way, or a small file as a whole.
struct line_block {
  text_memory in;
  line_sink out;
  std::size_t file = 0;      ///< its number among the files
  std::uint64_t number = 0;  ///< its own, in order
  std::uint64_t offset = 0;  ///< bytes from the file's start
  bool whole_file = false;
  bool first = false;               ///< of its file
  bool last = false;                ///< of its file
  std::uint64_t lines = 0;          ///< that were treated
  std::uint64_t bytes_read = 0;     ///< of them
  std::uint64_t bytes_written = 0;  ///< of them
  std::exception_ptr failure{};     ///< why there is no more …
  bool function_failed = false;     ///< … because of the line behind those treated
};

/// Blocks for use and reuse, by all stages at once.
class block_pool {
 public:
  explicit block_pool(const each_line_sizes& sizes) noexcept : sizes_{sizes} {}
  [[nodiscard]] line_block& take();
  void give_back(line_block& block) noexcept;

 private:
  const each_line_sizes& sizes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<line_block>> all_;
  std::vector<line_block*> idle_;  // those used last first: they are in the processor's cache
};

/// One run. It reads and writes files or, in their place, a reader and a writer.
struct line_job {
  static constexpr auto none = std::numeric_limits<std::uint64_t>::max();

  std::span<const file_pair> files{};
  reader* in = nullptr;
  writer* out = nullptr;
  const each_line_options& options;
  each_line_sizes sizes;
  block_pool pool{sizes};
  std::atomic<std::uint64_t> first_failed = none;  ///< number of the first block that failed so far

  /// What comes behind this block need not be done any more.
  void note_failure(std::uint64_t number) noexcept;
  /// @throws freshet::error  when it is to stop
  void throw_if_stopped(std::size_t file) const;
  /// Asks whether a file that was treated may appear. @throws whatever the user's function does
  void accept(std::size_t file) const {
    if (options.accept) options.accept(files[file]);
  }
  /// Empty where it has no name.
  [[nodiscard]] std::filesystem::path path_of(std::size_t file) const;
};

}  // namespace freshet::detail
