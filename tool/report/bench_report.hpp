// The results of `freshet bench`, as rankings.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/machine_rate_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

/// Returns for each class the verdict, the ranking with bars, both clocks, the device's activity, and what was left
/// out. Each figure is the median over the plan's trials that are not invalid. Plans with only invalid trials are
/// marked "!" and not ranked, and neither is the method `null`.
[[nodiscard]] std::string format_bench(std::span<const candidate> rows, const screen& look = {});

/// What the pick of the first class that writes gets of what the device takes; no share if it has none, and
/// nothing if no class writes.
[[nodiscard]] machine_figures make_machine_figures(const std::optional<machine_rate>& machine,
                                                   std::span<const candidate> rows);

/// Returns the same verdicts in JSON: an array, one for each class.
[[nodiscard]] nlohmann::json bench_verdicts(std::span<const candidate> rows);

/// Returns what each option in which the plans of a class differ is worth: an array of "class", "option", "base",
/// "value", "ratio" of seconds (below 1: the value is faster than the base), and "cells", the plans that differ in it
/// alone, each with the comparison, "extents" and "cold_read" (MB/s) of both.
[[nodiscard]] nlohmann::json bench_effects(std::span<const candidate> rows);

}  // namespace freshet::tool
