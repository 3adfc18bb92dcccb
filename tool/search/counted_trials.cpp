#include "tool/search/counted_trials.hpp"

namespace freshet::tool {

std::vector<std::string> find_exclusion_reasons(const trial_result& figures) {
  if (figures.validity == trial_validity::invalid)
    return figures.reasons.empty() ? std::vector<std::string>{"invalid"} : figures.reasons;
  if (!figures.is_usable()) return {"it moved no byte"};
  return {};
}

std::vector<std::string> explain_choice(const trial_result& left_out, const trial_result& counted) {
  if (left_out.screening && !counted.screening) return {"it only chose which plans met in the final"};
  if (!left_out.is_disturbed() || counted.is_disturbed()) return {"its file has another size"};
  return left_out.reasons.empty() ? std::vector<std::string>{"disturbed"} : left_out.reasons;
}

}  // namespace freshet::tool
