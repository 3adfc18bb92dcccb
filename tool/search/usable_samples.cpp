#include "tool/search/usable_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace freshet::tool {
namespace {

std::string without_details(const std::string& reason) { return reason.substr(0, reason.find(": ")); }

std::string without_figures(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

}  // namespace

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

std::string first_reason(const trial_result& trial) {
  return trial.reasons.empty() ? "nothing was measured" : trial.reasons.front();
}

std::vector<left_out_kind> group_reasons(const std::map<std::string, std::size_t>& trials_by_reason) {
  std::map<std::string, left_out_kind> kinds;
  for (const auto& [reason, trials] : trials_by_reason) {
    const std::string text = without_details(reason);
    left_out_kind& kind = kinds[without_figures(text)];
    if (kind.trials == 0) {
      kind.reason = reason;
    } else {
      kind.reason = without_details(kind.reason);
      kind.is_example = kind.is_example || kind.reason != text;
    }
    kind.trials += trials;
  }
  std::vector<left_out_kind> all;
  for (auto& [name, kind] : kinds) all.push_back(std::move(kind));
  return all;
}

}  // namespace freshet::tool
