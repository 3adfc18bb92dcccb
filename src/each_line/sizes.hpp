// How much memory each_line takes, and what for.
#pragma once

#include <cstddef>

#include <freshet/each_line.hpp>

namespace freshet::detail {

struct each_line_sizes {
  unsigned threads = 1;
  unsigned in_flight = 1;       ///< blocks in memory
  std::size_t block = 0;        ///< bytes of input
  std::size_t most_input = 0;   ///< bytes that a block's input may keep when it is done
  std::size_t most_output = 0;  ///< the same of what became of it
  std::size_t file_memory = 0;  ///< bytes that the blocks of a large file's reader may take, and its writer's
  std::size_t small_block = 0;  ///< bytes of the one block of a small file's reader, and its writer's
};

/// @throws freshet::error  when an option is invalid
[[nodiscard]] each_line_sizes sizes_for(const each_line_options& options);

}  // namespace freshet::detail
