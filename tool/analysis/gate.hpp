// What `compare --fail-if-worse` makes of two sides: whether each plan that they have in common got worse.
#pragma once

#include <string>
#include <vector>

#include "tool/analysis/sides.hpp"
#include "tool/search/regression.hpp"

namespace freshet::tool {

/// Figures of the second side against the first.
struct judged_times {
  comparison against = {};
  double significance = 1;  ///< by ranks, corrected for the number of plans
  regression result = {};   ///< what follows from these times alone
};

/// A plan of both sides, in all states of memory that both met.
struct judged_plan {
  std::string name = {};  ///< for people
  judged_times whole = {};
  judged_times own = {};  ///< without the time for which other programs had the processors
  regression result = {};
};

/// Judges all plans. Trials that met memory in different states are compared within each, and their ranks in one test.
/// It takes rounds_to_decide trials of each side, or as many as so many plans at once need. A plan got worse if its
/// whole times show it or those that it took itself do, and the ratio of the others is beyond what is tolerated, too;
/// otherwise it is fine if either rule out a slowdown of 25 %.
/// @param tolerated  a slowdown that is none: 0.05 is 5 %
[[nodiscard]] std::vector<judged_plan> judge_plans(const matched_plans& plans, double tolerated);

}  // namespace freshet::tool
