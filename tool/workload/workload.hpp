// Runs a workload into anything that has write(), and can be stopped by Ctrl-C.
#pragma once

#include <cstdint>

#include "tool/base/interrupt.hpp"
#include "tool/workload/blocks.hpp"
#include "tool/workload/text.hpp"

namespace freshet::tool {

/// How much a workload wrote.
struct amount {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  ///< 0 for blocks
  friend bool operator==(const amount&, const amount&) = default;
};

/// Writes the text file of at most `size` bytes. @throws interrupted; what `out` throws
template <typename Out>
amount write_text(Out& out, std::uint64_t size) {
  constexpr std::uint64_t lines_between_looks = 1 << 14;
  text_source source{size};
  while (source.write_some(out, lines_between_looks)) throw_if_interrupted();
  return {.bytes = source.bytes(), .lines = source.lines()};
}

/// Writes `size` bytes of `data` in blocks of `block` bytes. @throws interrupted; what `out` throws
template <typename Out>
amount write_blocks(Out& out, const block_data& data, std::uint64_t size, std::size_t block) {
  block_source source{data, size, block};
  while (source.write_some(out, 1)) throw_if_interrupted();
  return {.bytes = source.bytes()};
}

}  // namespace freshet::tool
