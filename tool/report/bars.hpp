// Bars made of characters.
#pragma once

#include <cstddef>
#include <string>

#include "tool/report/screen.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// Returns a bar of up to `columns` columns, which represent `most`: solid up to the start of the interval, then dotted
/// up to its end: "━━━━━━━━┅┅", or "########--" without Unicode. At least one column wide if the value is not 0.
/// Precondition: most > 0, and range.high <= most.
[[nodiscard]] std::string bar(const interval& range, double most, std::size_t columns, const screen& look);

}  // namespace freshet::tool
