#include "tool/report/bars.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace freshet::tool {
namespace {

std::string repeated(std::string_view mark, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += mark;
  return all;
}

}  // namespace

std::string bar(const interval& range, double most, std::size_t columns, const screen& look) {
  const auto cells = [&](double value) {
    const double share = std::clamp(value / most, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns)));
  };
  const std::size_t all = std::max<std::size_t>(cells(range.high), range.high > 0 ? 1 : 0);
  const std::size_t full = std::min(std::max<std::size_t>(cells(range.low), range.low > 0 ? 1 : 0), all);
  return repeated(look.unicode ? "━" : "#", full) + repeated(look.unicode ? "┅" : "-", all - full);
}

}  // namespace freshet::tool
