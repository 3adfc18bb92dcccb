#include "tool/analysis/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tool/base/size.hpp"

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
    if (verdict_.ranking.size() == 1) return {};
    if (verdict_.state != verdict_state::undecided || close_.empty())
      return {fmt::format("{} {}.", name_(verdict_.ranking[1]), format_times(verdict_.ranking[1]))};
    const ranked_candidate& next = *close_.front();
    const std::size_t rounds = next.to_winner.ratio.count;
    std::vector<std::string> sentences{
        fmt::format("{} {}, in {} round{}. At worst {} takes {:.2f} times as long as the best.", name_(next),
                    format_times(next), rounds, rounds == 1 ? "" : "s", name_(winner()), worst_case_ratio(verdict_))};
    if (const std::string needed = describe_rounds_needed(estimate_rounds_needed(verdict_)); !needed.empty())
      sentences.push_back(capitalized(needed) + ".");
    return sentences;
  }

 private:
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

}  // namespace

verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name, std::string_view dash) {
  const verdict_writer writer{verdict, name, dash};
  return {writer.headline(), writer.remarks()};
}

std::string describe_rounds_needed(const rounds_needed& needed) {
  if (needed.rounds == 0) return {};
  return fmt::format("{} {} more round{} would decide", needed.at_least ? "at least" : "about", needed.rounds,
                     needed.rounds == 1 ? "" : "s");
}

}  // namespace freshet::tool
