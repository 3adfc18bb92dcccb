#include "tool/analysis/comparison_text.hpp"

#include <fmt/format.h>

#include "tool/base/text.hpp"

namespace freshet::tool {

const result_words& words_of(metric which) {
  static constexpr result_words of_time{"faster", "slower", "as fast", "looks faster", "looks slower"};
  static constexpr result_words of_cpu{"cheaper", "costlier", "as cheap", "looks cheaper", "looks costlier"};
  return which == metric::cpu ? of_cpu : of_time;
}

std::string_view describe_result(const comparison& against, metric which) {
  const result_words& words = words_of(which);
  const bool sure = is_certain(against);
  switch (against.result) {
    case outcome::better:
      return sure ? words.better : words.likely_better;
    case outcome::worse:
      return sure ? words.worse : words.likely_worse;
    case outcome::tie:
      return sure ? words.tie : "cannot tell";
    case outcome::undecided:
      break;
  }
  return "cannot tell";
}

std::string format_gain(const comparison& against, metric which) {
  const result_words& words = words_of(which);
  const bool gains = against.ratio.value <= 1;
  const estimate times = gains ? inverted(against).ratio : against.ratio;
  const std::string rounded = format_times(times.value);
  std::string told =
      rounded == "1.00" ? std::string{words.tie} : fmt::format("{} x {}", rounded, gains ? words.better : words.worse);
  if (!(against.ratio.range.low > 0)) return told;
  return fmt::format("{} ({}-{})", told, format_times(times.range.low), format_times(times.range.high));
}

std::string format_figures(const interval& range) {
  return fmt::format("{}-{}", format_figure(range.low), format_figure(range.high));
}

std::string format_times(double times) {
  return times >= 1.995 ? fmt::format("{:.2g}", times) : fmt::format("{:.2f}", times);
}

}  // namespace freshet::tool
