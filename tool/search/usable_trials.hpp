// Which trials count, where some are invalid, or disturbed by others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr unsigned rounds_to_decide = 6;  ///< fewer shared rounds have no interval

/// Leaves those of `items` that nothing disturbed, if there are rounds_to_decide of them: fewer say less than all do.
template <typename Item, typename Predicate>
void keep_undisturbed(std::vector<Item>& items, Predicate is_disturbed) {
  const auto left = static_cast<std::size_t>(std::ranges::count_if(items, std::not_fn(is_disturbed)));
  if (left >= rounds_to_decide) std::erase_if(items, is_disturbed);
}

/// Returns the usable ones of `trials`; of these, those that nothing disturbed, if there are rounds_to_decide.
[[nodiscard]] inline std::vector<const trial_result*> choose_usable(std::span<const trial_result> trials) {
  std::vector<const trial_result*> usable;
  for (const trial_result& trial : trials)
    if (trial.is_usable()) usable.push_back(&trial);
  keep_undisturbed(usable, std::mem_fn(&trial_result::is_disturbed));
  return usable;
}

}  // namespace freshet::tool
