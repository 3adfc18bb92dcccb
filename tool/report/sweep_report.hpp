// A sweep for people.
#pragma once

#include <cstddef>
#include <string>

#include "tool/sweep/sweep.hpp"

namespace freshet::tool {

/// Tables no wider than a terminal of 80 columns, corpus by corpus: seconds with their spread, the best of each column
/// marked, and CPU seconds and memory; where the disk stops to be the limit; what `auto` chose, why, and how it does.
/// Ends with a newline.
[[nodiscard]] std::string sweep_report(const sweep_result& made);

/// A sentence of it: for one corpus, up to which work level the disk is the limit, and from which on the CPU.
[[nodiscard]] std::string limit_sentence(const sweep_result& made, std::size_t corpus);

}  // namespace freshet::tool
