#include "tool/search/profile_choice.hpp"

#include <algorithm>

namespace freshet::tool {

bool is_worth_saving(const class_result& result) {
  return !result.verdict.ranking.empty() && result.verdict.unmeasured.empty();
}

file_system_profile make_profile(const tuning& result) {
  file_system_profile entry;
  for (const class_result& each : result.classes) {
    if (!is_worth_saving(each)) continue;
    const ranked_candidate& winner = each.verdict.ranking.front();
    const trial_plan& plan = winner.plan;
    entry.size = std::max(entry.size, winner.size);
    if (reads(plan.what)) {
      (plan.what == io_class::cold ? entry.cold : entry.warm) = read_settings{plan.method, plan.block, plan.depth};
      continue;
    }
    entry.winners.at(static_cast<std::size_t>(durability_of(plan.what))) =
        write_settings{plan.method, plan.block, plan.depth, plan.reserve};
  }
  return entry;
}

}  // namespace freshet::tool
