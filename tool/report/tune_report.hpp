// The result of `freshet tune`, for people and in JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// Returns for each class the verdict, the ranking and what was left out; then what order costs, whether the disk
/// slowed down, and the bytes written. Lines fit the screen if the names allow it.
[[nodiscard]] std::string format_tuning(const tuning& result, const screen& look = {});

/// Returns the smallest program that writes and reads files as the winners of the first measured classes do.
[[nodiscard]] std::string snippet(const tuning& result);

/// "verdicts", "trials", "bytes_written", "slowdown" and "seconds".
[[nodiscard]] nlohmann::json make_json(const tuning& result);

}  // namespace freshet::tool
