// The output of `freshet writetest`: a line for each write when it ends, then averages. MB are 2^20 bytes, as in the
// original program of that name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

/// cycle: all methods in turn, round after round. sequential: all rounds of one method, then those of the next.
enum class write_phase : std::uint8_t { cycle, sequential };

[[nodiscard]] std::string_view to_string(write_phase phase);

/// Returns the command's name for a plan's method: "genio" for `buffered`.
[[nodiscard]] std::string writetest_name(const trial_plan& plan);

/// Returns the heading of the lines of writes.
[[nodiscard]] std::string format_write_heading();
/// Returns the figures of the last trial of `row` and, if it is invalid, the reason; or why it failed.
/// @param round  such as "2/3"
[[nodiscard]] std::string format_write(write_phase phase, const candidate& row, std::string_view round,
                                       const screen& look);

/// Returns the averages of one phase with their ranges. Rows without a valid trial are marked "!".
[[nodiscard]] std::string format_writetest_averages(write_phase phase, std::span<const candidate> rows,
                                                    const screen& look);
/// Returns the same averages as an array.
[[nodiscard]] nlohmann::json writetest_averages(std::span<const candidate> rows);

}  // namespace freshet::tool
