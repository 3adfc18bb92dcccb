// A plan that takes part in a comparison, and its trials.
#pragma once

#include <string>
#include <vector>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A plan and its trials. The plan's size is that of the files to find a plan for; trials may be smaller.
struct candidate {
  trial_plan plan = {};
  std::vector<trial_result> trials = {};
  std::string dropped = {};  ///< why it has no trials, or no more of them; empty while it may still win
  bool is_baseline = false;  ///< it is raced along to compare with, and cannot win
};

}  // namespace freshet::tool
