#include "tool/analysis/comparison_text.hpp"

#include <fmt/format.h>

#include <array>

namespace freshet::tool {

std::string_view describe_result(const comparison& against) {
  static constexpr std::array<std::string_view, 4> sure{"faster", "slower", "as fast", "cannot tell"};
  static constexpr std::array<std::string_view, 4> few{"looks faster", "looks slower", "cannot tell", "cannot tell"};
  const auto result = static_cast<std::size_t>(against.result);
  return is_certain(against) ? sure.at(result) : few.at(result);
}

std::string format_gain(const comparison& against) {
  const bool gains = against.ratio.value <= 1;
  const estimate times = gains ? inverted(against).ratio : against.ratio;
  const std::string rounded = format_times(times.value);
  std::string told = rounded == "1.00" ? "as fast" : fmt::format("{} x {}", rounded, gains ? "faster" : "slower");
  if (!(against.ratio.range.low > 0)) return told;
  return fmt::format("{} ({}-{})", told, format_times(times.range.low), format_times(times.range.high));
}

std::string format_times(double times) {
  return times >= 1.995 ? fmt::format("{:.2g}", times) : fmt::format("{:.2f}", times);
}

}  // namespace freshet::tool
