#include "tool/analysis/group_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>

#include "tool/analysis/sweep_cells.hpp"
#include "tool/base/size.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/left_out.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t names_shown = 4;
constexpr std::string_view too_few_rounds = "measured in fewer rounds than decide anything";

std::string rate_in_words(const ranked_candidate& who) {
  return fmt::format("{} MB/s ({}–{})", format_figure(who.rate.value), format_figure(who.rate.range.low),
                     format_figure(who.rate.range.high));
}

// "takes 1.21 (1.15–1.30) times as long"
std::string times_in_words(const ranked_candidate& who) {
  const estimate& ratio = who.to_winner.ratio;
  return fmt::format("takes {:.2f} ({:.2f}–{:.2f}) times as long", ratio.value, ratio.range.low, ratio.range.high);
}

class group_words {
 public:
  group_words(const report_group& group, const verdict& found) : group_{group}, found_{found} {}

  [[nodiscard]] std::string headline() const {
    const ranked_candidate& winner = found_.ranking.front();
    const std::string lead = label(winner.plan);
    if (found_.ranking.size() == 1)
      return fmt::format("{}: {}. Nothing else was measured.", lead, rate_in_words(winner));
    const std::vector<const ranked_candidate*> near = not_slower();
    if (found_.state == verdict_state::tie)
      return fmt::format("Tie: {} and {} are within 3 %. The simplest of them is {}, with {}.", lead, names(near), lead,
                         rate_in_words(winner));
    if (found_.state == verdict_state::undecided)
      return fmt::format("Undecided: {} leads with {}{}.", lead, rate_in_words(winner), others_in_words(near));
    const ranked_candidate& next = found_.ranking[1];
    return fmt::format("{} wins: {}. Next comes {}, which {}{}.", lead, rate_in_words(winner), label(next.plan),
                       times_in_words(next), bill_in_words(winner, next));
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> words;
    if (found_.state == verdict_state::undecided) add_doubts(words);
    for (const std::string& sentence : in_words(found_.order))
      words.push_back(fmt::format("When trials were made mattered: {}.", sentence));
    if (!found_.unmeasured.empty()) {
      std::string all;
      for (const trial_plan& plan : found_.unmeasured) all += (all.empty() ? "" : ", ") + label(plan);
      words.push_back(fmt::format("Without a valid trial: {}.", all));
    }
    return words;
  }

 private:
  [[nodiscard]] const std::string& label(const trial_plan& plan) const { return group_.rows.at(plan.seed).label; }

  // Who may be as good, and what it would take to know.
  void add_doubts(std::vector<std::string>& words) const {
    const std::vector<const ranked_candidate*> near = not_slower();
    if (near.empty()) return;
    const ranked_candidate& next = *near.front();
    words.push_back(fmt::format("{} {}, from {} round{}. At worst {} takes {:.2f} times as long as the best.",
                                label(next.plan), times_in_words(next), next.to_winner.ratio.count,
                                next.to_winner.ratio.count == 1 ? "" : "s", label(found_.ranking.front().plan),
                                at_worst(found_)));
    if (std::string rounds = rounds_in_words(rounds_to_decide_all(found_)); !rounds.empty()) {
      rounds.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(rounds.front())));
      words.push_back(rounds + ".");
    }
  }

  // Beside the winner.
  [[nodiscard]] std::vector<const ranked_candidate*> not_slower() const {
    std::vector<const ranked_candidate*> near;
    for (std::size_t i = 1; i < found_.ranking.size(); ++i)
      if (!surely_slower(found_.ranking[i])) near.push_back(&found_.ranking[i]);
    return near;
  }

  [[nodiscard]] std::string names(const std::vector<const ranked_candidate*>& those) const {
    std::string all;
    for (std::size_t i = 0; i < std::min(those.size(), names_shown); ++i)
      all += (i == 0 ? "" : ", ") + label(those[i]->plan);
    if (those.size() > names_shown) all += fmt::format(" and {} more", those.size() - names_shown);
    return all;
  }

  // Some may be as good; others look slower, but on too few rounds to be sure.
  [[nodiscard]] std::string others_in_words(std::vector<const ranked_candidate*> near) const {
    const std::size_t all = near.size();
    std::erase_if(near, [](const ranked_candidate* who) {
      return who->to_winner.ratio.count < rounds_to_decide && who->to_winner.ratio.range.low > 1;
    });
    std::string words = near.empty() ? "" : fmt::format("; {} may be as good", names(near));
    if (near.size() < all)
      words += fmt::format("; {} more {} slower, on too few valid rounds to be sure", all - near.size(),
                           all - near.size() == 1 ? "looks" : "look");
    return words;
  }

  // Who is a little slower may win by a lower bill, which has to be said.
  [[nodiscard]] static std::string bill_in_words(const ranked_candidate& winner, const ranked_candidate& next) {
    if (next.to_winner.ratio.value >= 1) return {};
    return fmt::format(" but costs {:.3f} instead of {:.3f} CPU seconds per GB", next.cpu_per_gb, winner.cpu_per_gb);
  }

  const report_group& group_;
  const verdict& found_;
};

group_verdict contest_of(const report_group& group) {
  const verdict found = rank_candidates(group.what, field_of(group), bootstrap_seed);
  if (found.ranking.empty())
    return {.state = "none", .headline = "No trial is valid, so there is no verdict.", .remarks = {}, .ranking = {}};
  const group_words words{group, found};
  group_verdict made{.state = found.ranking.size() == 1 ? "alone" : std::string{to_string(found.state)},
                     .headline = words.headline(),
                     .remarks = words.remarks(),
                     .ranking = {}};
  for (const ranked_candidate& who : found.ranking) made.ranking.push_back({who.plan.seed, who.to_winner});
  return made;
}

group_verdict no_contest(const report_group& group) {
  std::vector<double> rates;
  for (const candidate& who : group.field)
    if (valid_trials(who) > 0) rates.push_back(1e3 / seconds_per_gb(who));
  if (rates.empty()) return {.state = "none", .headline = "No trial is valid.", .remarks = {}, .ranking = {}};
  return {.state = "alone",
          .headline = fmt::format("Without a file, the generator makes {} MB/s: no method can be measured beyond that.",
                                  format_figure(*std::ranges::max_element(rates))),
          .remarks = {},
          .ranking = {}};
}

}  // namespace

std::vector<candidate> field_of(const report_group& group) {
  std::vector<candidate> field = group.field;
  const auto made = [](const candidate& who) { return who.trials.size(); };
  if (field.empty() || made(*std::ranges::max_element(field, {}, made)) < rounds_to_decide) return field;
  // Invalid trials were rounds, too: who has some of these did not leave.
  for (candidate& who : field)
    if (made(who) < rounds_to_decide && valid_trials(who) > 0) who.dropped = too_few_rounds;
  return field;
}

std::string left_out_in_words(const report_group& group) {
  if (group.invalid == 0) return {};
  std::map<std::string, std::size_t> reasons;
  for (const candidate& who : group.field)
    for (const trial_result& made : who.trials)
      if (!counts(made)) ++reasons[reason_of(made)];
  std::string words;
  for (const left_out_kind& kind : kinds_of(reasons))
    words += fmt::format("{}{} × {}{}{}", words.empty() ? "" : "; ", kind.trials,
                         kind.is_example ? "for example “" : "", kind.reason, kind.is_example ? "”" : "");
  return fmt::format("{} of {} trials {} left out as invalid: {}.", group.invalid, group.trials,
                     group.invalid == 1 ? "was" : "were", words);
}

group_verdict verdict_of(const report_group& group, unsigned processors) {
  group_verdict made = group.workload == "lines" ? sweep_verdict(group, processors)
                       : group.ranks             ? contest_of(group)
                                                 : no_contest(group);
  if (std::string left_out = left_out_in_words(group); !left_out.empty()) made.remarks.push_back(std::move(left_out));
  return made;
}

}  // namespace freshet::tool
