// The figures of the HTML report's page.
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/groups.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// Rounds to six significant digits, which is more than any clock provides; null if `value` is not finite.
[[nodiscard]] nlohmann::json page_number(double value);
/// [value, low, high].
[[nodiscard]] nlohmann::json page_estimate(const estimate& figure);

/// Returns medians over usable_samples(); those of speed and CPU bill with their intervals, and "used", the number of
/// these samples. Rates are MB/s; figures per GB refer to the bytes that were moved.
[[nodiscard]] nlohmann::json page_figures(const candidate& entry);

/// Returns the speed over time of the median sample: MB/s in equal steps; null if no trial has any.
[[nodiscard]] nlohmann::json page_curve(const candidate& entry, const std::vector<std::int64_t>& ids);

/// Returns the number of calls by duration; null if there are none.
[[nodiscard]] nlohmann::json page_latency(const latency_histogram& latency);

/// Returns the candidate with only those of its trials.
[[nodiscard]] candidate select_trials(const candidate& entry, const std::vector<std::size_t>& trials);

}  // namespace freshet::tool
