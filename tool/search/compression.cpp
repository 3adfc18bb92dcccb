#include "tool/search/compression.hpp"

#include <algorithm>

#include "tool/search/statistics.hpp"

namespace freshet::tool {

compression_verdict judge_levels(std::span<const double> plain, std::span<const level_trials> levels) {
  compression_verdict verdict{.plain = median({plain.begin(), plain.end()}), .levels = {}};
  for (const level_trials& each : levels)
    verdict.levels.push_back({.level = each.level,
                              .ratio = each.ratio,
                              .processors = median(each.compressed),
                              .disk = verdict.plain * each.ratio,
                              .stored = median(each.stored)});
  verdict.fastest = *std::ranges::max_element(verdict.levels, {}, &level_limits::stored);
  for (auto each = verdict.levels.rbegin(); each != verdict.levels.rend() && each->is_limited_by_processors(); ++each)
    verdict.limited_from = each->level;
  return verdict;
}

}  // namespace freshet::tool
