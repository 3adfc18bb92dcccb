// The result of `freshet tune`, for people and in JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// Returns the answers, a short table for each class, what disturbed the run, and the bytes written. With `details`,
/// the tables have all rows, and there are the figures as they were measured, what was left out and why, and what order
/// costs. Lines fit the screen if the names allow it.
[[nodiscard]] std::string format_tuning(const tuning& result, const screen& look = {}, bool details = false);

/// Returns the smallest program that writes and reads files as the winners of the first measured classes do.
[[nodiscard]] std::string snippet(const tuning& result);

/// "verdicts", "trials", "bytes_written", "slowdown" and "seconds".
[[nodiscard]] nlohmann::json make_json(const tuning& result);

}  // namespace freshet::tool
