// What a bench found out, as rankings.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

/// For each class the verdict, the ranking with bars, both clocks and what the device did, and what was left out. Each
/// figure is the median over the plan's trials that are not invalid; plans of which all are have a "!", and are ranked
/// nowhere, as is the method `null`.
[[nodiscard]] std::string bench_report(std::span<const measured_plan> rows, const screen& look = {});

/// The same verdicts, as search/ranking.hpp has them.
[[nodiscard]] nlohmann::json bench_verdicts(std::span<const measured_plan> rows);

}  // namespace freshet::tool
