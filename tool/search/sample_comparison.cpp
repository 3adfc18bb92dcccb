#include "tool/search/sample_comparison.hpp"

#include <algorithm>
#include <array>

#include "tool/search/ranking.hpp"

namespace freshet::tool {
namespace {

constexpr double significance_limit = 0.05;

difference decide(const sample_difference& against) {
  if (against.ratio.count >= rounds_to_decide && against.ratio.range.inside(1 - tie_margin, 1 + tie_margin))
    return difference::same;
  if (against.significance >= significance_limit) return difference::unclear;
  if (against.ratio.range.high < 1) return difference::better;
  return against.ratio.range.low > 1 ? difference::worse : difference::unclear;
}

// The fewest trials of each side with which the clearest difference is significant despite so many comparisons: of all
// ways to sort 2n values, two separate the sides.
std::size_t trials_needed(std::size_t comparisons) {
  double chance = 2;
  std::size_t trials = 0;
  while (chance * static_cast<double>(comparisons) >= significance_limit) {
    ++trials;
    const auto n = static_cast<double>(trials);
    chance *= n / (2 * (2 * n - 1));  // of C(2n, n) against C(2n - 2, n - 1)
  }
  return trials;
}

}  // namespace

sample_differences compare_samples(std::span<const sample_pair> kinds) {
  sample_differences differences;
  std::vector<double> significances;
  for (const sample_pair& kind : kinds) {
    differences.each.push_back({.ratio = estimate_ratio(kind.later, kind.earlier)});
    significances.push_back(mann_whitney(kind.later, kind.earlier).significance);
  }
  const std::vector<double> corrected = holm(significances);
  for (std::size_t i = 0; i < corrected.size(); ++i) {
    differences.each[i].significance = corrected[i];
    differences.each[i].result = decide(differences.each[i]);
  }
  differences.overall = common_change(kinds);
  differences.trials_needed = trials_needed(kinds.size());
  return differences;
}

bool surely_worse(const sample_difference& compared, double tolerated) {
  return compared.result == difference::worse && compared.ratio.range.low > 1 + tolerated;
}

std::string_view to_string(difference result) {
  static constexpr std::array<std::string_view, 4> names{"better", "worse", "same", "cannot tell"};
  return names.at(static_cast<std::size_t>(result));
}

}  // namespace freshet::tool
