// The comparison of two runs or two methods, for people and in JSON.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/sides.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

/// Two sides and their differences. The second is compared with the first.
struct compared_sides {
  std::array<std::string, 2> names;       ///< "run 12", "uring", …
  std::vector<std::string> changes = {};  ///< other differences between the sides: "kernel 6.1 -> 6.18"
  metric which = metric::ranking;
  matched_plans plans = {};
};

/// Returns a table for each class and workload, then a summary: in how many plans B is faster or slower, the overall
/// change, and what was left out with reasons.
[[nodiscard]] std::string format_comparison(const compared_sides& both, const screen& look = {});

/// "first", "second", "metric", "plans", "overall", "left_out", "unmatched" and "changes". Of each plan, "own_time" is
/// the comparison of times without those for which other programs had the processors.
[[nodiscard]] nlohmann::json make_json(const compared_sides& both);

}  // namespace freshet::tool
