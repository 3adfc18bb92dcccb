#include "tool/baseline/baseline.hpp"

#include <algorithm>

namespace freshet::tool {

const baseline* find_baseline(std::string_view name) noexcept {
  const auto match = std::ranges::find(baselines(), name, &baseline::name);
  return match == baselines().end() ? nullptr : &*match;
}

}  // namespace freshet::tool
