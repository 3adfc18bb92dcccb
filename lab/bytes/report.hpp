// The results of `freshet bytes`, for people.
#pragma once

#include <span>
#include <string>

#include "tool/trial/candidate.hpp"

namespace freshet::tool {

/// `rows`: their plans are those of ways. Returns a table for each direction. It has a line for each way and a column
/// for each buffer, with MB/s until closed (the median of the usable trials), the spread, the CPU cost, and the speed
/// relative to fwrite and fread with the C library's own buffer. Below it are, with reasons, the figures that cannot be
/// right, marked with
/// "!", and the invalid trials, and then the ways whose speed is close to `loop_rate`, the MB/s of a loop that passes
/// the bytes to nothing.
[[nodiscard]] std::string format_byte_rows(std::span<const candidate> rows, double loop_rate);

}  // namespace freshet::tool
