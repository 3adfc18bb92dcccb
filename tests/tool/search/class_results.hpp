// Results of `tune` with made-up figures.
#pragma once

#include <utility>
#include <vector>

#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// What these candidates say of the class.
inline class_result answered(std::vector<candidate> candidates, io_class measured_class = io_class::none) {
  class_result result;
  for (candidate& each : candidates) {
    each.plan.measured_class = measured_class;
    for (trial_result& trial : each.trials) trial.plan.measured_class = measured_class;
  }
  result.verdict = rank_candidates(measured_class, candidates);
  result.candidates = std::move(candidates);
  return result;
}

}  // namespace freshet::tool
