#include "tool/search/regression.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::tool {
namespace {

constexpr double most_rounds = 1e6;  // where the limits meet in the middle of the range, no number would do

// A range shrinks with the square root of the number of rounds.
std::size_t estimate_rounds_to_go(const estimate& ratio, const interval& limits, std::size_t needed) {
  const auto rounds = static_cast<double>(ratio.count);
  const double missing = ratio.count < needed ? static_cast<double>(needed - ratio.count) : 1;
  const interval& range = ratio.range;
  if (!(range.low > 0)) return static_cast<std::size_t>(missing);
  const double reach = std::log(range.high / range.low) / 2;
  const double middle = std::log(range.high * range.low) / 2;
  const double room = std::max(middle - std::log(limits.low), std::log(limits.high) - middle);
  const double more = std::ceil(rounds * (reach / room) * (reach / room)) - rounds;
  return static_cast<std::size_t>(std::min(std::max(missing, more), most_rounds));
}

}  // namespace

regression judge_regression(const comparison& against, const regression_rules& rules) {
  const interval limits{1 + rules.tolerated, 1 + std::max(rules.largest_doubt, rules.tolerated)};
  const estimate& ratio = against.ratio;
  if (ratio.count >= rules.rounds_needed) {
    if (ratio.range.low > limits.low) return {regression_state::worse};
    if (ratio.range.high < limits.high) return {regression_state::fine};
  }
  return {regression_state::open, estimate_rounds_to_go(ratio, limits, rules.rounds_needed)};
}

}  // namespace freshet::tool
