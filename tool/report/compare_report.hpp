// Whether what was measured twice, or two ways, differs: in words and in JSON.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/matching.hpp"
#include "tool/search/sample_comparison.hpp"

namespace freshet::tool {

/// Two sides and what was found. The first is what the second is compared with.
struct compared_sides {
  std::array<std::string, 2> names;       ///< "run 12", "uring", …
  std::vector<std::string> changes = {};  ///< what else differs between them: "kernel 6.1 -> 6.18"
  metric which = metric::ranking;
  matched_plans plans;
  sample_differences found;  ///< of plans.common
};

/// A table for each class and workload, then a summary: how many are better or worse, all together, and what was left
/// out and why.
[[nodiscard]] std::string compare_report(const compared_sides& both, const screen& look = {});

/// "first", "second", "metric", "plans", "overall", "left_out", "unmatched" and "changes".
[[nodiscard]] nlohmann::json in_json(const compared_sides& both);

}  // namespace freshet::tool
