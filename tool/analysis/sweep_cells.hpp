// Stored trials that process files line by line, as a grid of threads and work.
#pragma once

#include <optional>

#include "tool/analysis/crossover.hpp"
#include "tool/analysis/group_verdict.hpp"

namespace freshet::tool {

/// Summarizes a row of a group of the workload "lines"; 0 seconds if it has no valid trial.
[[nodiscard]] fastest_at_work summarize_cell(const report_group& group, std::size_t row, unsigned processors);

/// The lowest work level from which on the processors are the limit; none if they never are, or if that is unknown.
[[nodiscard]] std::optional<unsigned> find_crossover(const report_group& group, unsigned processors);

/// Says what is fastest at the lowest and at the highest work level, and where the processors become the limit.
[[nodiscard]] group_verdict make_sweep_verdict(const report_group& group, unsigned processors);

}  // namespace freshet::tool
