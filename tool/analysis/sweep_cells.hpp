// Files processed line by line, as a grid of threads and work.
#pragma once

#include <optional>
#include <string>

#include "tool/analysis/group_verdict.hpp"

namespace freshet::tool {

/// A row of a group of the workload "lines".
struct sweep_place {
  std::string strategy;
  unsigned threads = 0;
  unsigned work = 0;
  double seconds = 0;          ///< median, until the files were closed; 0: no valid trial
  std::optional<double> busy;  ///< share of the time for which the threads, or the processors, had work
};

[[nodiscard]] sweep_place sweep_place_of(const report_group& group, std::size_t row, unsigned processors);

/// The lowest work level from which on the processors are the limit (sweep/findings.hpp); none where they never are,
/// or that is not known.
[[nodiscard]] std::optional<unsigned> crossover_of(const report_group& group, unsigned processors);

/// Who is fastest at the lowest and the highest work level, and where the processors begin to be the limit.
[[nodiscard]] group_verdict sweep_verdict(const report_group& group, unsigned processors);

}  // namespace freshet::tool
