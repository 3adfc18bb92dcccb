// What a reader gives, cut into blocks of whole lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include <freshet/detail/text_memory.hpp>
#include <freshet/reader.hpp>

namespace freshet::detail {

class block_source {
 public:
  /// Of about `block` bytes each. A line of more than `longest` bytes ends it, and is not read as a whole.
  block_source(reader& in, std::size_t block, std::size_t longest) noexcept
      : in_{&in}, block_{block}, longest_{longest} {}

  /// Replaces what `into` holds by the next lines: nothing at the end. @throws freshet::error
  void take(text_memory& into);

  /// Whether what was taken last ends the file.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  [[nodiscard]] bool take_more(text_memory& into);

  reader* in_;
  std::size_t block_;
  std::size_t longest_;
  text_memory rest_;  // the beginning of a line, whose end is in the next block
  bool ended_ = false;
};

}  // namespace freshet::detail
