// What people see of `freshet bytes`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tool/trial/byte_trial.hpp"

namespace freshet::tool {

/// All trials of one plan, in the order of their rounds, every round having one.
struct byte_row {
  byte_plan plan;
  std::vector<trial_result> trials = {};
};

/// A table for each direction: a line for each way, a column for each buffer, MB/s until closed (the median of the
/// trials that are not invalid); the spread, the CPU bill and the speed relative to fwrite and fread with the C
/// library's own buffer. Below it, what is invalid and why, and which ways are near to `loop_rate`, the MB/s of
/// handing out bytes to nobody.
[[nodiscard]] std::string bytes_report(std::span<const byte_row> rows, double loop_rate);

}  // namespace freshet::tool
