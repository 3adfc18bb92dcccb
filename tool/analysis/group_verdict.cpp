#include "tool/analysis/group_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>

#include "tool/analysis/sweep_cells.hpp"
#include "tool/base/text.hpp"
#include "tool/search/usable_samples.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t names_shown = 4;

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

class verdict_writer {
 public:
  verdict_writer(const class_verdict& verdict, const candidate_namer& name, std::string_view dash)
      : verdict_{verdict}, name_{name}, dash_{dash} {
    for (std::size_t i = 1; i < verdict.ranking.size(); ++i)
      if (!is_clearly_slower(verdict.ranking[i])) close_.push_back(&verdict.ranking[i]);
  }

  [[nodiscard]] std::string headline() const {
    const std::string leader = name_(winner());
    const std::string figures = format_figures();
    if (verdict_.ranking.size() == 1) return fmt::format("{}: {}. Nothing else was measured.", leader, figures);
    if (verdict_.state == verdict_state::tie)
      return fmt::format("Tie: {} and {} are within 3 % of each other. {} is the simplest: {}.", leader, names(close_),
                         leader, figures);
    if (verdict_.state == verdict_state::undecided)
      return fmt::format("Undecided: {} leads with {}{}.", leader, figures, describe_rivals());
    return fmt::format("{} wins: {}.", leader, figures);
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> sentences = compare_with_rivals();
    for (const ranked_candidate& ranked : verdict_.ranking)
      if (ranked.bound_by_generator)
        sentences.push_back(fmt::format(
            "{} is nearer than {:.2g} x to what the {} alone does here, {} MB/s: its figures are bounded by that.",
            name_(ranked), ceiling_distance, reads(verdict_.measured_class) ? "checksum" : "generator",
            tool::format_figure(*ranked.bound_by_generator)));
    return sentences;
  }

 private:
  [[nodiscard]] std::vector<std::string> compare_with_rivals() const {
    if (verdict_.ranking.size() == 1) return {};
    if (verdict_.state != verdict_state::undecided || close_.empty())
      return {fmt::format("{} {}.", name_(verdict_.ranking[1]), format_times(verdict_.ranking[1]))};
    const ranked_candidate& next = *close_.front();
    const std::optional<double> worst = worst_case_ratio(verdict_);
    std::vector<std::string> sentences{fmt::format(
        "{} {}, in {}. {}", name_(next), format_times(next), format_count(next.to_winner.ratio.count, "round"),
        worst ? fmt::format("At worst {} takes {:.2f} times as long as the best.", name_(winner()), *worst)
              : fmt::format("What {} costs at worst cannot be said from so few rounds.", name_(winner())))};
    if (const std::string needed = describe_rounds_needed(estimate_rounds_needed(verdict_)); !needed.empty())
      sentences.push_back(capitalized(needed) + ".");
    return sentences;
  }

  [[nodiscard]] const ranked_candidate& winner() const { return verdict_.ranking.front(); }

  // "3120 MB/s (2980-3200), 0.051 CPU s/GB"
  [[nodiscard]] std::string format_figures() const {
    return fmt::format("{} MB/s ({}{}{}), {:.3f} CPU s/GB", format_figure(winner().rate.value),
                       format_figure(winner().rate.range.low), dash_, format_figure(winner().rate.range.high),
                       winner().cpu_per_gb);
  }

  // "takes 1.21 (1.15-1.30) times as long, with 0.060 CPU s/GB"
  [[nodiscard]] std::string format_times(const ranked_candidate& ranked) const {
    const estimate& ratio = ranked.to_winner.ratio;
    return fmt::format("takes {:.2f} ({:.2f}{}{:.2f}) times as long, with {:.3f} CPU s/GB", ratio.value,
                       ratio.range.low, dash_, ratio.range.high, ranked.cpu_per_gb);
  }

  [[nodiscard]] std::string names(const std::vector<const ranked_candidate*>& candidates) const {
    std::string all;
    for (std::size_t i = 0; i < std::min(candidates.size(), names_shown); ++i)
      all += (i == 0 ? "" : ", ") + name_(*candidates[i]);
    if (candidates.size() > names_shown) all += fmt::format(" and {} more", candidates.size() - names_shown);
    return all;
  }

  // Some candidates may be as good; others look slower, but have too few rounds to be sure.
  [[nodiscard]] std::string describe_rivals() const {
    std::vector<const ranked_candidate*> equals = close_;
    std::erase_if(equals, [](const ranked_candidate* ranked) {
      return ranked->to_winner.ratio.count < rounds_to_decide && ranked->to_winner.ratio.range.low > 1;
    });
    std::string text = equals.empty() ? "" : fmt::format("; {} may be as good", names(equals));
    if (const std::size_t slower = close_.size() - equals.size(); slower != 0)
      text += fmt::format("; {} more {} slower, but with too few valid rounds to be sure", slower,
                          slower == 1 ? "looks" : "look");
    return text;
  }

  const class_verdict& verdict_;
  const candidate_namer& name_;
  std::string_view dash_;
  std::vector<const ranked_candidate*> close_;  // not clearly slower than the winner
};

constexpr std::string_view too_few_rounds = "measured in fewer rounds than decide anything";

group_verdict describe_ranking(const report_group& group) {
  const class_verdict verdict = rank_candidates(group.measured_class, make_candidates(group));
  if (verdict.ranking.empty()) return {.state = "none", .headline = "No trial is valid, so there is no verdict."};
  const auto label = [&](const trial_plan& plan) { return group.rows.at(plan.seed).label; };
  verdict_text text = describe_verdict(
      verdict, [&](const ranked_candidate& ranked) { return label(ranked.plan); }, "–");
  group_verdict result{.state = verdict.ranking.size() == 1 ? "alone" : std::string{to_string(verdict.state)},
                       .headline = std::move(text.headline),
                       .remarks = std::move(text.remarks)};
  for (const std::string& sentence : describe(verdict.order))
    result.remarks.push_back(fmt::format("The order of the trials mattered: {}.", sentence));
  if (!verdict.unmeasured.empty()) {
    std::vector<std::string> names;
    for (const trial_plan& plan : verdict.unmeasured) names.push_back(label(plan));
    result.remarks.push_back(fmt::format("Without a valid trial: {}.", fmt::join(names, ", ")));
  }
  for (const ranked_candidate& ranked : verdict.ranking) result.ranking.push_back({ranked.plan.seed, ranked.to_winner});
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

verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name, std::string_view dash) {
  const verdict_writer writer{verdict, name, dash};
  return {writer.headline(), writer.remarks()};
}

std::string describe_rounds_needed(const rounds_needed& needed) {
  constexpr std::size_t worth_waiting = 200;
  if (needed.rounds == 0) return {};
  if (needed.rounds > worth_waiting) return "more rounds would hardly decide, because the trials vary so much";
  return fmt::format("{} {} would decide", needed.at_least ? "at least" : "about",
                     format_count(needed.rounds, "more round"));
}

std::vector<candidate> make_candidates(const report_group& group) {
  std::vector<candidate> candidates = group.candidates;
  const auto count_trials = [](const candidate& entry) { return entry.trials.size(); };
  if (candidates.empty()) return candidates;
  if (count_trials(*std::ranges::max_element(candidates, {}, count_trials)) < rounds_to_decide) return candidates;
  // Invalid trials took part in rounds as well, so a candidate that has some did not leave early.
  for (candidate& entry : candidates)
    if (count_trials(entry) < rounds_to_decide && count_usable(entry) > 0) entry.dropped = too_few_rounds;
  return candidates;
}

group_verdict make_group_verdict(const report_group& group, unsigned processors) {
  group_verdict verdict = group.has_lines() ? make_sweep_verdict(group, processors)
                          : group.is_ranked ? describe_ranking(group)
                                            : describe_generator(group);
  if (std::string left_out = describe_left_out(group); !left_out.empty())
    verdict.remarks.push_back(std::move(left_out));
  return verdict;
}

}  // namespace freshet::tool
