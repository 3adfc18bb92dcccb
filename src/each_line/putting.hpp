// The pipeline's last stage: one thread at a time writes what the blocks became, in order, and reports the first that
// failed.
#pragma once

#include <chrono>
#include <cstdint>

#include "src/each_line/line_block.hpp"

namespace freshet::detail {

class putting {
 public:
  explicit putting(line_job& job) noexcept : job_{job} {}

  /// Takes `block`, and gives it back to the pool. @throws what each_line() throws
  void put(line_block& block);
  /// Closes the run. Returns what was done.
  each_line_progress finish();

 private:
  [[noreturn]] void report(const line_block& block) const;
  void write(line_block& block);
  void tell();

  line_job& job_;
  writer out_;
  std::uint64_t lines_before_ = 0;  // in the file being written
  each_line_progress done_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace freshet::detail
