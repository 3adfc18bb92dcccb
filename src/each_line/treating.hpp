// The pipeline's second stage: all threads call the function, each on a block or a small file of its own.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <memory>
#include <mutex>
#include <string_view>

#include "src/each_line/line_block.hpp"

namespace freshet::detail {

class treating {
 public:
  treating(line_job& job, const treatment_maker& make) noexcept : job_{job}, make_{make} {}

  /// Fills `block.out`, or a small file's output. What fails is noted in the block. @throws freshet::error  when it is
  /// to stop
  void treat(line_block& block);

 private:
  void treat_file(line_block& block);
  void treat_text(line_block& block, std::string_view text);
  [[nodiscard]] line_treatment& own_treatment();

  line_job& job_;
  const treatment_maker& make_;
  std::mutex make_mutex_;
  tbb::enumerable_thread_specific<std::unique_ptr<line_treatment>> own_;
};

}  // namespace freshet::detail
