// The pipeline's first stage: one thread at a time cuts the files, one after another, into blocks of whole lines. Small
// ones it only hands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/each_line/block_source.hpp"
#include "src/each_line/line_block.hpp"

namespace freshet::detail {

class fetching {
 public:
  explicit fetching(line_job& job) noexcept : job_{job} {}

  /// The next block, or null: then this round is over. What fails here is noted in the block.
  [[nodiscard]] line_block* next();

  /// Whether there is nothing more.
  [[nodiscard]] bool ended() const noexcept { return ended_ && waiting_ == nullptr; }
  /// How many blocks the coming round may have in memory.
  [[nodiscard]] unsigned in_flight() const noexcept;

 private:
  [[nodiscard]] line_block* next_in_order();
  void begin_file(line_block& block);
  void cut(line_block& block);
  void end_file() noexcept;
  [[nodiscard]] bool is_for_this_round(const line_block& block) noexcept;

  line_job& job_;
  std::size_t file_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;

  reader in_;
  std::optional<block_source> source_;  // of the file being cut
  std::uint64_t offset_ = 0;            // in it

  line_block* waiting_ = nullptr;  // for the next round
  bool long_lines_ = false;        // this round is for them
  unsigned usual_blocks_ = 0;      // since the last long one
};

}  // namespace freshet::detail
