#include "tool/search/usable_samples.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::tool {

bool has_valid_trial(const measured_plan& row) { return std::ranges::any_of(row.trials, &trial_result::is_usable); }

std::vector<const trial_result*> usable_samples(const measured_plan& row) {
  std::vector<const trial_result*> chosen;
  const bool some_count = has_valid_trial(row);
  for (const trial_result& trial : row.trials)
    if (!some_count || trial.is_usable()) chosen.push_back(&trial);
  return chosen;
}

std::string summarize_faults(const measured_plan& row) {
  std::size_t invalid = 0;
  const std::string* reason = nullptr;
  for (const trial_result& trial : row.trials) {
    if (trial.validity == trial_validity::invalid) ++invalid;
    if (!trial.reasons.empty() && (reason == nullptr || trial.validity == trial_validity::invalid))
      reason = &trial.reasons.front();
  }
  if (invalid == 0 && reason == nullptr) return {};
  const std::string kind = invalid == 0                   ? "unknown"
                           : invalid == row.trials.size() ? "invalid"
                                                          : fmt::format("{} of {} invalid", invalid, row.trials.size());
  return fmt::format("{}: {}", kind, reason == nullptr ? "nothing was measured" : *reason);
}

}  // namespace freshet::tool
