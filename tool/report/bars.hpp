// Bars in text.
#pragma once

#include <cstddef>
#include <string>

#include "tool/report/screen.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// A bar of up to `columns` columns, which stand for `most`: full up to where the interval begins, then broken up to
/// where it ends: "━━━━━━━━┅┅", "########--" without Unicode. At least one column where it is more than nothing.
/// Precondition: most > 0, and range.high <= most.
[[nodiscard]] std::string bar(const interval& range, double most, std::size_t columns, const screen& look);

}  // namespace freshet::tool
