#include "tool/search/sample_comparison.hpp"

#include <algorithm>
#include <array>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

namespace {

constexpr double certain_chance = 0.05;

difference decide(const sample_difference& found) {
  if (found.ratio.count >= rounds_to_decide && found.ratio.range.inside(1 - tie_margin, 1 + tie_margin))
    return difference::same;
  if (found.significance >= certain_chance) return difference::unclear;
  if (found.ratio.range.high < 1) return difference::better;
  return found.ratio.range.low > 1 ? difference::worse : difference::unclear;
}

/// The fewest trials of either side whose clearest difference is certain though there are so many comparisons: of all
/// ways to sort 2n, two separate the sides.
std::size_t trials_needed(std::size_t comparisons) {
  double chance = 2;
  std::size_t trials = 0;
  while (chance * static_cast<double>(comparisons) >= certain_chance) {
    ++trials;
    const auto n = static_cast<double>(trials);
    chance *= n / (2 * (2 * n - 1));  // of C(2n, n) against C(2n - 2, n - 1)
  }
  return trials;
}

}  // namespace

sample_differences compare_samples(std::span<const then_and_now> kinds) {
  sample_differences found;
  std::vector<double> significances;
  for (const then_and_now& kind : kinds) {
    found.each.push_back({.ratio = estimate_ratio(kind.later, kind.earlier)});
    significances.push_back(mann_whitney(kind.later, kind.earlier).significance);
  }
  const std::vector<double> corrected = holm(significances);
  for (std::size_t i = 0; i < corrected.size(); ++i) {
    found.each[i].significance = corrected[i];
    found.each[i].result = decide(found.each[i]);
  }
  found.overall = common_change(kinds);
  found.trials_needed = trials_needed(kinds.size());
  return found;
}

bool surely_worse(const sample_difference& found, double tolerated) {
  return found.result == difference::worse && found.ratio.range.low > 1 + tolerated;
}

std::string_view to_string(difference what) {
  static constexpr std::array<std::string_view, 4> names{"better", "worse", "same", "cannot tell"};
  return names.at(static_cast<std::size_t>(what));
}

}  // namespace freshet::tool
