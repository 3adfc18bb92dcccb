#include "tool/search/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace freshet::tool {
namespace {

std::string without_details(const std::string& reason) { return reason.substr(0, reason.find(": ")); }

std::string without_figures(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

}  // namespace

std::string summarize_faults(const candidate& entry) {
  if (entry.trials.empty()) return {};
  const auto validity = [](const trial_result& trial) { return trial.validity; };
  const trial_result& worst = *std::ranges::max_element(entry.trials, {}, validity);
  if (worst.validity == trial_validity::valid) return {};
  const auto count = std::ranges::count(entry.trials, worst.validity, validity);
  const std::string share =
      count == std::ssize(entry.trials) ? "" : fmt::format("{} of {} ", count, entry.trials.size());
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
