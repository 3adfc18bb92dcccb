// The second stage of the pipeline: all threads call the function, each for a block or a small file of its own.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <memory>
#include <mutex>
#include <string_view>

#include "src/each_line/line_job.hpp"

namespace freshet::detail {

class transform_stage {
 public:
  transform_stage(line_job& job, const line_transform_maker& make) noexcept : job_{job}, make_{make} {}

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

}  // namespace freshet::detail
