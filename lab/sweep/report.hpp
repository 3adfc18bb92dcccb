// The results of `freshet sweep`, for people.
#pragma once

#include <cstddef>
#include <string>

#include "lab/sweep/sweep.hpp"

namespace freshet::tool {

/// Returns for each corpus tables no wider than 80 columns: seconds with their spread, the best of each column marked,
/// and CPU seconds and memory; then where the disk stops being the limit, and what `auto` chose, why, and how fast it
/// is. Ends with a newline.
[[nodiscard]] std::string format_sweep(const sweep_result& result);

/// Returns a sentence about one corpus: up to which work level the disk is the limit, and from which on the CPU.
[[nodiscard]] std::string describe_limit(const sweep_result& result, std::size_t corpus);

}  // namespace freshet::tool
