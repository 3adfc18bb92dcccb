// What a bench found out, as tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trial.hpp"

namespace freshet::tool {

/// A plan with its trials, or the reason why it has none.
struct bench_row {
  trial_plan plan;
  std::vector<trial> trials = {};
  std::string why_not = {};
};

/// A table for each class. Each figure is the median over the plan's trials that are not invalid (over all,
/// where all are), each range its 95 % confidence interval. The last figure is the speed as a share of that of the
/// fastest plan with a trial that is not invalid, by the clock that the class ranks by.
[[nodiscard]] std::string bench_report(std::span<const bench_row> rows);

}  // namespace freshet::tool
