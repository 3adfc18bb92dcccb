// How each_line's files are written.
#pragma once

#include <freshet/each_line.hpp>

namespace freshet {

/// As asked for, and hidden until they are complete where what is there is not to be kept.
[[nodiscard]] inline writer_options output_options(const each_line_options& options) noexcept {
  writer_options asked = options.output;
  asked.hidden_until_closed |= asked.mode == open_mode::truncate || asked.mode == open_mode::create_new;
  return asked;
}

}  // namespace freshet
