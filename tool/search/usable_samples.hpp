// Which trials of a measured plan its figures are drawn from.
#pragma once

#include <string>
#include <vector>

#include "tool/trial/series.hpp"

namespace freshet::tool {

/// Whether the plan has a usable trial.
[[nodiscard]] bool has_valid_trial(const measured_plan& row);
/// The trials that the plan's figures are drawn from: the usable ones if there are any, otherwise all.
[[nodiscard]] std::vector<const trial_result*> usable_samples(const measured_plan& row);
/// Why trials of the plan are invalid or unknown, as "2 of 3 invalid: REASON"; empty if all are valid.
[[nodiscard]] std::string summarize_faults(const measured_plan& row);

}  // namespace freshet::tool
