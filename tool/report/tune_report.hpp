// The result of `freshet tune`, for people and in JSON.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/machine_rate_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

inline constexpr std::size_t lines_of_screen = 24;

/// Returns a short table of the ways for each of one or two questions, and the answers, which are last. With `details`,
/// there are before them the ranking of each class with its figures as they were measured, what was left out and why,
/// what order costs, what programs will get, and what disturbed the run. Lines fit the screen if the names allow it.
/// Without `details`, the tables have fewer rows, or are left out, where it would take more than `lines` lines.
[[nodiscard]] std::string format_tuning(const tuning& result, const screen& look = {}, bool details = false,
                                        std::size_t lines = lines_of_screen);

/// What programs by themselves, or the best way found if they were not measured, get of what the device takes, in the
/// first class that writes; no share if it has no answer, and nothing if no class writes.
[[nodiscard]] machine_figures make_machine_figures(const std::optional<machine_rate>& machine, const tuning& result);

/// "verdicts", each with its "advice", "trials", "size", "bytes_written", "slowdown", "seconds" and "ended_early_by".
[[nodiscard]] nlohmann::json make_json(const tuning& result);

}  // namespace freshet::tool
