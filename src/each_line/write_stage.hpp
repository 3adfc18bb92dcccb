// The last stage of the pipeline: one thread at a time writes the results in order and reports the first failure.
#pragma once

#include <chrono>
#include <cstdint>

#include "src/each_line/line_job.hpp"

namespace freshet::detail {

class write_stage {
 public:
  explicit write_stage(line_job& job) noexcept : job_{job} {}

  /// Writes the results of `block` and returns it to the pool. @throws what each_line() throws
  void write(line_block& block);
  /// Reports the progress for the last time. Returns what was done.
  each_line_progress finish();

 private:
  [[noreturn]] void rethrow_failure(const line_block& block) const;
  void write_text(line_block& block);
  void report_progress();

  line_job& job_;
  writer out_;
  std::uint64_t lines_before_ = 0;  // in the current file
  each_line_progress done_;
  std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
};

}  // namespace freshet::detail
