#include "tool/search/usable_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tool/search/counted_trials.hpp"

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
  std::vector<const trial_result*> chosen = sort_trials(row.trials).counted;
  if (chosen.empty())
    for (const trial_result& trial : row.trials) chosen.push_back(&trial);
  return chosen;
}

std::string summarize_faults(const measured_plan& row) {
  if (row.trials.empty()) return {};
  const auto validity = [](const trial_result& trial) { return trial.validity; };
  const trial_result& worst = *std::ranges::max_element(row.trials, {}, validity);
  if (worst.validity == trial_validity::valid) return {};
  const auto count = std::ranges::count(row.trials, worst.validity, validity);
  const std::string share = count == std::ssize(row.trials) ? "" : fmt::format("{} of {} ", count, row.trials.size());
  return fmt::format("{}{}: {}", share, to_string(worst.validity), first_reason(worst));
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
