#include <algorithm>
#include <vector>

#include "tool/search/significance.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

slowdown measure_slowdown(std::span<const sustained_rate> trials) {
  if (trials.empty()) return {};
  const double third = trials.back().bytes_before / 3;
  std::vector<trial_plan> plans;
  std::vector<sample_pair> rates;
  for (const sustained_rate& one : trials) {
    const auto same = std::ranges::find(plans, one.plan);
    const auto index = static_cast<std::size_t>(same - plans.begin());
    if (same == plans.end()) {
      plans.push_back(one.plan);
      rates.emplace_back();
    }
    if (one.bytes_before < third) rates[index].earlier.push_back(one.bytes_per_second);
    if (one.bytes_before > 2 * third) rates[index].later.push_back(one.bytes_per_second);
  }
  const change effect = common_change(rates);
  return {1 - effect.ratio, effect.significance};
}

}  // namespace freshet::tool
