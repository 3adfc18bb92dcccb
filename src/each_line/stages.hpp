// The three stages of the pipeline.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include <freshet/detail/text_memory.hpp>
#include <freshet/reader.hpp>

#include "src/each_line/line_job.hpp"

namespace freshet::detail {

/// Reads blocks of whole lines.
class block_source {
 public:
  /// Blocks have about `block` bytes. A line of more than `longest` bytes ends the source and is not read completely.
  block_source(reader& in, std::size_t block, std::size_t longest) noexcept
      : in_{&in}, block_{block}, longest_{longest} {}

  /// Replaces the content of `into` with the next lines; with nothing at the end. @throws freshet::error
  void read(text_memory& into);

  /// Returns whether the last block ends the file.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  [[nodiscard]] bool read_more(text_memory& into);

  reader* in_;
  std::size_t block_;
  std::size_t longest_;
  text_memory rest_;  // the beginning of a line that ends in the next block
  bool ended_ = false;
};

/// The first stage: one thread at a time reads the files, one after another, in blocks of whole lines. Small files are
/// passed on unread.
class read_stage {
 public:
  explicit read_stage(line_job& job) noexcept : job_{job} {}

  /// Returns the next block, or null if the round is over. Errors are recorded in the block.
  [[nodiscard]] line_block* next();

  /// Returns whether there are no more blocks.
  [[nodiscard]] bool ended() const noexcept { return ended_ && waiting_ == nullptr; }
  /// Returns how many blocks the next round may have in memory.
  [[nodiscard]] unsigned in_flight() const noexcept;

 private:
  [[nodiscard]] line_block* next_in_order();
  void begin_file(line_block& block);
  void read_block(line_block& block);
  void end_file() noexcept;
  [[nodiscard]] bool is_for_this_round(const line_block& block) noexcept;

  line_job& job_;
  std::size_t file_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;

  reader in_;
  std::optional<block_source> source_;  // of the current file
  std::uint64_t offset_ = 0;            // in the current file

  line_block* waiting_ = nullptr;  // for the next round
  bool long_lines_ = false;        // whether this round is for blocks with long lines
  unsigned usual_blocks_ = 0;      // since the last block with a long line
};

/// The second stage: all threads call the function, each for a block or a small file of its own.
class transform_stage {
 public:
  /// @throws std::bad_alloc  by oneTBB
  transform_stage(line_job& job, const line_transform_maker& make) : job_{job}, make_{make} {}

  /// Fills `block.out`, or writes a small file's output. Other errors are recorded in the block.
  /// @throws freshet::error  if a stop was requested
  void transform(line_block& block);

 private:
  void transform_file(line_block& block);
  void transform_text(line_block& block, std::string_view text);
  [[nodiscard]] line_transform& own_transform();

  line_job& job_;
  const line_transform_maker& make_;
  std::mutex make_mutex_;
  tbb::enumerable_thread_specific<std::unique_ptr<line_transform>> own_;
};

/// The last stage: one thread at a time writes the results in order and reports the first failure.
class write_stage {
 public:
  explicit write_stage(line_job& job) noexcept : job_{job} {}

  /// Writes the results of `block` and returns it to the pool. @throws what each_line() throws
  void write(line_block& block);

 private:
  [[noreturn]] void rethrow_failure(const line_block& block) const;
  void write_text(line_block& block);

  line_job& job_;
  writer out_;
  std::uint64_t lines_before_ = 0;  // in the current file
};

}  // namespace freshet::detail
