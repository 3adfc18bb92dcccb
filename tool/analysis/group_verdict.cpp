#include "tool/analysis/group_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>

#include "tool/base/text.hpp"
#include "tool/search/answer.hpp"
#include "tool/search/reasons.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view too_few_rounds = "measured in fewer rounds than decide anything";

// Invalid trials took part in rounds as well, so a candidate that has some did not leave early.
bool has_few_trials(const candidate& entry) {
  return entry.trials.size() < rounds_to_decide && count_usable(entry) > 0;
}

// The least median of those that may win and took part in enough rounds; 0 if there are none.
double find_least_decided_seconds(const std::vector<candidate>& candidates) {
  double least = std::numeric_limits<double>::infinity();
  for (const candidate& entry : candidates)
    if (!entry.is_baseline && entry.trials.size() >= rounds_to_decide && count_usable(entry) > 0)
      least = std::min(least, seconds_per_gb(entry));
  return std::isfinite(least) ? least : 0;
}

// Whether even its shortest trial takes longer than `seconds` by more than what matters.
bool is_slower_throughout(const candidate& entry, double seconds) {
  const double shortest = std::ranges::min(collect(usable_samples(entry), &trial_result::seconds_per_gb));
  return seconds > 0 && shortest > seconds * (1 + usual_negligible_share);
}

group_verdict describe_ranking(const report_group& group) {
  const std::vector<candidate> candidates = make_candidates(group);
  const class_verdict verdict = rank_candidates(group.measured_class, candidates);
  if (verdict.ranking.empty()) return {.state = "none", .headline = "No trial is valid, so there is no verdict."};
  verdict_text text = describe_verdict(verdict, name_rows(group));
  group_verdict result{.state = verdict.ranking.size() == 1 ? "alone" : std::string{to_string(verdict.state)},
                       .headline = std::move(text.answer),
                       .is_sure = verdict.ranking.size() > 1 && find_answer(verdict).is_sure,
                       .remarks = std::move(text.remarks)};
  for (const std::string& sentence : describe(verdict.order))
    result.remarks.push_back(fmt::format("The order of the trials mattered: {}.", sentence));
  std::vector<std::string> unmeasured;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (is_unmeasured(candidates[i])) unmeasured.push_back(group.rows[i].label);
  if (!unmeasured.empty())
    result.remarks.push_back(fmt::format("Without a valid trial: {}.", fmt::join(unmeasured, ", ")));
  for (const ranked_candidate& ranked : verdict.ranking)
    result.ranking.push_back({ranked.index, ranked.place, ranked.to_leader});
  return result;
}

group_verdict describe_generator(const report_group& group) {
  std::vector<double> rates;
  for (const candidate& entry : group.candidates)
    if (count_usable(entry) > 0) rates.push_back(ranking_rate(entry));
  if (rates.empty()) return {.state = "none", .headline = "No trial is valid."};
  return {.state = "alone",
          .headline = fmt::format(
              "Without a file, the generator makes {} MB/s; no method can be measured to be faster than that.",
              format_figure(*std::ranges::max_element(rates)))};
}

// "3 of 40 trials were left out as invalid: 2 × the content differs; …"; empty if all are valid.
std::string describe_left_out(const report_group& group) {
  if (group.invalid == 0) return {};
  std::map<std::string, std::size_t> reasons;
  for (const candidate& entry : group.candidates)
    for (const trial_result& trial : entry.trials)
      if (!trial.is_usable()) ++reasons[first_reason(trial)];
  std::string text;
  for (const left_out_kind& kind : group_reasons(reasons))
    text += fmt::format("{}{} × {}{}{}", text.empty() ? "" : "; ", kind.trials, kind.is_example ? "for example “" : "",
                        kind.reason, kind.is_example ? "”" : "");
  return fmt::format("{} of {} trials {} left out as invalid: {}.", group.invalid, group.trials,
                     group.invalid == 1 ? "was" : "were", text);
}

}  // namespace

candidate_namer name_rows(const report_group& group) {
  return [&group](const ranked_candidate& ranked) {
    const std::string& label = group.rows.at(ranked.index).label;
    const bool is_baseline = ranked.plan.method == "ofstream" && label.starts_with("ofstream");
    return is_baseline ? "std::ofstream" : label;
  };
}

std::vector<candidate> make_candidates(const report_group& group) {
  std::vector<candidate> candidates = group.candidates;
  const double fastest = find_least_decided_seconds(candidates);
  for (candidate& entry : candidates)
    if (has_few_trials(entry) && is_slower_throughout(entry, fastest)) entry.dropped = too_few_rounds;
  return candidates;
}

group_verdict make_group_verdict(const report_group& group, const lines_section* lines) {
  group_verdict verdict =
      lines != nullptr    ? group_verdict{.state = lines->state, .headline = lines->headline, .remarks = lines->remarks}
      : group.is_ranked() ? describe_ranking(group)
      : group.role == group_role::warm_up ? group_verdict{.state = "none", .headline = "Warm-ups count nowhere."}
                                          : describe_generator(group);
  if (std::string left_out = describe_left_out(group); !left_out.empty())
    verdict.remarks.push_back(std::move(left_out));
  return verdict;
}

}  // namespace freshet::tool
