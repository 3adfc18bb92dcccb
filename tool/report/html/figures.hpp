// Figures as the page of a report has them.
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// Six significant digits, which is more than any clock is good for; null where it is no number.
[[nodiscard]] nlohmann::json page_number(double value);
/// [value, low, high].
[[nodiscard]] nlohmann::json page_estimate(const estimate& found);

/// Of the trials that speak for a plan (search/ranking.hpp): medians, those of speed and CPU bill with their intervals;
/// "used" of them. Rates are MB/s; what is per GB is so of the bytes that were moved.
[[nodiscard]] nlohmann::json page_figures(const candidate& who);

/// Bytes over time of the trial in the middle of those that speak for it: MB/s in equal steps; null where no trial has
/// any.
[[nodiscard]] nlohmann::json page_curve(const candidate& who, const std::vector<std::int64_t>& ids);

/// Calls by how long they took; null for none.
[[nodiscard]] nlohmann::json page_latency(const latency_histogram& made);

/// Those trials of `who` alone.
[[nodiscard]] candidate part_of(const candidate& who, const std::vector<std::size_t>& trials);

}  // namespace freshet::tool
