// What one run measured of a group.
#pragma once

#include <cstddef>
#include <vector>

#include "tool/analysis/groups.hpp"

namespace freshet::tool {

/// A run's trials of a group, as a group of their own.
struct run_part {
  report_group group;             ///< only with the rows that the run has trials of
  std::vector<std::size_t> rows;  ///< where each of these is in the whole group
};

/// Returns the trials that the run of that index made. There may be none.
[[nodiscard]] run_part select_run(const report_group& whole, std::size_t run);

}  // namespace freshet::tool
