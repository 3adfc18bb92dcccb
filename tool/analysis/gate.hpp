// What `compare --fail-if-worse` makes of two sides: whether each plan that they have in common got worse.
#pragma once

#include <string>
#include <vector>

#include "tool/analysis/sides.hpp"
#include "tool/search/regression.hpp"

namespace freshet::tool {

/// Times of the second side against those of the first, and what follows from them.
struct judged_times {
  comparison against = {};
  double significance = 1;  ///< by ranks, corrected for the number of plans
  regression result = {};
};

/// A plan of both sides, in all states of memory that both met.
struct judged_plan {
  std::string name = {};    ///< for people
  judged_times own = {};    ///< without the time for which other programs had the processors: this decides
  judged_times whole = {};  ///< as it was measured
};

/// Judges all plans. Trials that met memory in different states are compared within each, and their ranks in one test.
/// It takes rounds_to_decide trials of each side, or as many as so many plans at once need. A plan got worse if its
/// times show it, and is fine if they rule out a slowdown of 25 %.
/// @param tolerated  a slowdown that is none: 0.05 is 5 %
[[nodiscard]] std::vector<judged_plan> judge_plans(const matched_plans& plans, double tolerated);

}  // namespace freshet::tool
