// Why trials are not usable, in few words.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tool/trial/candidate.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Why trials of the plan are not valid, as "2 of 3 invalid: REASON", of the worst kind; empty if all are valid.
[[nodiscard]] std::string summarize_faults(const candidate& entry);

/// Returns the first reason why a trial is not usable.
[[nodiscard]] std::string first_reason(const trial_result& trial);

/// Reasons that say the same.
struct left_out_kind {
  std::size_t trials = 0;
  std::string reason;       ///< of one trial; without the details after its colon if other trials have other details
  bool is_example = false;  ///< other trials have other figures in their reason
};

/// Combines reasons that differ only in figures, or only in the details after a colon.
[[nodiscard]] std::vector<left_out_kind> group_reasons(const std::map<std::string, std::size_t>& trials_by_reason);

}  // namespace freshet::tool
