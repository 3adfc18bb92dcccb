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
/// [value] of a single trial; [value, low, high], the smallest and the largest, of too few for an interval; else
/// [value, low, high, confidence].
[[nodiscard]] nlohmann::json page_estimate(const estimate& figure);

/// Returns medians over usable_samples(); those of speed and CPU cost with their ranges, "used", the number of these
/// samples, "size" and "least_size", the largest and the smallest file of them, and "other_sizes", the other valid
/// trials. Rates are MB/s; figures per GB refer to the bytes that were moved.
[[nodiscard]] nlohmann::json page_figures(const candidate& entry);

/// Returns the speed over time of the median sample: MB/s in equal steps; null if no trial has any. `ids` and `blocks`
/// are those of the candidate's trials.
[[nodiscard]] nlohmann::json page_curve(const candidate& entry, const std::vector<std::int64_t>& ids,
                                        const std::vector<std::uint64_t>& blocks);

/// Returns the number of calls by duration; null if there are none.
[[nodiscard]] nlohmann::json page_latency(const latency_histogram& latency);

}  // namespace freshet::tool
