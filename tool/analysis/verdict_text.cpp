#include "tool/analysis/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/text.hpp"
#include "tool/search/answer.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t names_shown = 3;
constexpr double notable_cpu_ratio = 1.5;

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string uncapitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

// "half", "an eighth", "1/17": the part that 1 is of `times`.
std::string describe_share(double times) {
  static constexpr std::array<std::string_view, 9> words{"half",      "a third",   "a quarter", "a fifth", "a sixth",
                                                         "a seventh", "an eighth", "a ninth",   "a tenth"};
  const auto whole = static_cast<std::size_t>(std::lround(times));
  if (whole < 2) return "two thirds";
  return whole - 2 < words.size() ? std::string{words.at(whole - 2)} : fmt::format("1/{}", whole);
}

std::string describe_cpu(double baseline_to_recommended) {
  if (baseline_to_recommended >= notable_cpu_ratio)
    return fmt::format(", with {} of its CPU time", describe_share(baseline_to_recommended));
  if (baseline_to_recommended <= 1 / notable_cpu_ratio)
    return fmt::format(", but with {} x its CPU time", format_times(1 / baseline_to_recommended));
  return {};
}

class verdict_writer {
 public:
  verdict_writer(const class_verdict& verdict, const candidate_namer& name, class_answer answer)
      : verdict_{verdict}, name_{name}, answer_{std::move(answer)} {
    for (const ranked_candidate& ranked : verdict.ranking)
      if (ranked.place == rank_class::leading && ranked.may_be_picked) rivals_.push_back(&ranked);
  }

  [[nodiscard]] std::string answer() const {
    trial_plan use = pick().plan;
    use.measured_class = verdict_.measured_class;
    return fmt::format("{}, {}. {}.{}", describe_use(use), advise(), describe_certainty(), describe_over_baseline());
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> sentences;
    const auto add = [&](std::string sentence) {
      if (!sentence.empty()) sentences.push_back(std::move(sentence));
    };
    add(explain_pick());
    add(describe_next());
    add(describe_left_early());
    const std::string needed = describe_rounds_needed(estimate_rounds_needed(verdict_));
    add(needed.empty() ? "" : capitalized(needed) + ".");
    for (const ranked_candidate& baseline : verdict_.baselines)
      if (&baseline != answer_.baseline) add(compare_with(baseline));
    for (const ranked_candidate& ranked : verdict_.ranking) add(describe_ceiling(ranked));
    return sentences;
  }

 private:
  [[nodiscard]] const ranked_candidate& pick() const { return verdict_.ranking.front(); }

  [[nodiscard]] std::string advise() const {
    if (answer_.what == advice::nothing) return advise_nothing();
    if (answer_.what == advice::profile && answer_.with_profile != nullptr) return advise_profile();
    std::string text = fmt::format("use {}: {}", name_(pick()), format_rate(pick().rate.value));
    if (answer_.gain) text += fmt::format(", {} than what programs get by themselves", format_gain(*answer_.gain));
    return text;
  }

  [[nodiscard]] std::string advise_profile() const {
    return fmt::format("let the profile name {}: programs get {} by themselves, {} with this profile, {}",
                       name_(pick()), format_rate(answer_.by_themselves->rate.value),
                       format_rate(answer_.with_profile->rate.value), format_gain(*answer_.profile_gain));
  }

  [[nodiscard]] std::string advise_nothing() const {
    std::string rates = format_rate(answer_.recommended().rate.value) + " by themselves";
    if (answer_.with_profile != nullptr)
      rates += fmt::format(", {} with a profile", format_rate(answer_.with_profile->rate.value));
    if (!answer_.is_sure && !is_alone()) return fmt::format("change nothing for now: programs get {}", rates);
    std::string text = fmt::format("change nothing: programs get {}", rates);
    if (answer_.gain) text += fmt::format("; {}, the best method, {}", name_(pick()), describe_distance(*answer_.gain));
    return text;
  }

  // Of what was not shown to be faster.
  [[nodiscard]] static std::string describe_distance(const comparison& gain) {
    const std::string times = format_gain(gain);
    const std::string_view how = is_certain(gain)                                   ? "is"
                                 : times.starts_with(words_of(metric::ranking).tie) ? "is about"
                                                                                    : "may be";
    return fmt::format("{} {}", how, times);
  }

  [[nodiscard]] bool is_alone() const { return verdict_.ranking.size() == 1; }

  [[nodiscard]] std::string describe_certainty() const {
    if (is_alone()) return "Nothing else was measured";
    if (!answer_.is_sure) return "Not sure: " + describe_doubt();
    const bool is_all_said = answer_.what == advice::profile && answer_.profile_gain;
    if (rivals_.empty() || is_all_said || (answer_.what == advice::nothing && answer_.gain)) return "Sure";
    if (verdict_.state == verdict_state::alike)
      return fmt::format("Sure: {} {} as good", names(rivals_), rivals_.size() == 1 ? "is" : "are");
    return fmt::format("Sure: {} may be as good, but at most {} x faster", names(rivals_),
                       format_times(verdict_.at_worst.value_or(1)));
  }

  // Why more rounds may change the answer.
  [[nodiscard]] std::string describe_doubt() const {
    const std::size_t rounds = pick().rate.count;
    const bool looks_faster = answer_.what == advice::nothing && answer_.gain && answer_.gain->ratio.value < 1;
    if (rounds < rounds_to_decide)
      return (looks_faster ? fmt::format("{} {}, after ", name_(pick()), describe_distance(*answer_.gain))
                           : std::string{}) +
             fmt::format("{} of at least {}", rounds, format_count(rounds_to_decide, "round"));
    if (const ranked_candidate* const early = find_challenger(verdict_); early != nullptr)
      return fmt::format("{}, which left early, looked faster", name_(*early));
    if (const auto few = find_rivals_of_few_rounds(); !few.empty())
      return fmt::format("{} may be faster, and {} {} rounds beside {}", names(few), few.size() == 1 ? "needs" : "need",
                         rounds_to_decide, name_(pick()));
    if (answer_.is_way_sure) return describe_doubt_of_profile();
    if (looks_faster) return fmt::format("{} {}", name_(pick()), describe_distance(*answer_.gain));
    if (answer_.what == advice::nothing && answer_.gain && answer_.gain->ratio.range.low < 1 / (1 + largest_regret))
      return fmt::format("{} may be up to {} x faster", name_(pick()), format_times(1 / answer_.gain->ratio.range.low));
    if (verdict_.at_worst && *verdict_.at_worst > 1 + largest_regret)
      return fmt::format("{} may be {} x faster", name_(find_dearest_rival()), format_times(*verdict_.at_worst));
    return "a longer run may find another way as good";
  }

  // What more rounds of programs with the profile may change.
  [[nodiscard]] std::string describe_doubt_of_profile() const {
    if (!answer_.profile_gain) return "no programs with a profile were measured";
    const estimate& ratio = answer_.profile_gain->ratio;
    if (ratio.count < rounds_to_decide)
      return fmt::format("programs with the profile had {} of at least {}", ratio.count,
                         format_count(rounds_to_decide, "round"));
    return fmt::format("programs with a profile may be up to {} x faster", format_times(1 / ratio.range.low));
  }

  [[nodiscard]] std::vector<const ranked_candidate*> find_rivals_of_few_rounds() const {
    std::vector<const ranked_candidate*> few = rivals_;
    std::erase_if(few, [](const ranked_candidate* each) { return !each->has_few_rounds(); });
    return few;
  }

  // " What programs get is 5.7 x faster (3.5-9.5) than std::ofstream, with a sixth of its CPU time."
  [[nodiscard]] std::string describe_over_baseline() const {
    if (!answer_.over_baseline) return {};
    const ranked_candidate& way = answer_.recommended();
    const std::string subject = answer_.what == advice::nothing ? "What programs get"
                                : &way == answer_.with_profile  ? "What they get then"
                                                                : capitalized(name_(way));
    return fmt::format(" {} is {} than {}{}.", subject, format_gain(*answer_.over_baseline), name_(*answer_.baseline),
                       describe_cpu(way.cpu_per_gb > 0 ? answer_.baseline->cpu_per_gb / way.cpu_per_gb : 1));
  }

  // The rival that may be as much faster as verdict_.at_worst says.
  [[nodiscard]] const ranked_candidate& find_dearest_rival() const {
    return **std::ranges::min_element(rivals_, {},
                                      [](const ranked_candidate* ranked) { return ranked->to_leader.ratio.range.low; });
  }

  [[nodiscard]] std::string explain_pick() const {
    const auto other = std::ranges::find_if(rivals_, [&](const ranked_candidate* rival) {
      return rival->cpu_cost.differs && rival->cpu_cost.ratio.value > 1;
    });
    if (verdict_.reason == decided_by::speed) return {};
    if (verdict_.reason == decided_by::simplicity || other == rivals_.end())
      return fmt::format("{} is picked as the simplest of those that may be as fast and have the same CPU cost.",
                         name_(pick()));
    return fmt::format("{} is picked for its CPU cost, {:.3f} s/GB; that of {} is {} times as high{}.", name_(pick()),
                       pick().cpu_per_gb, name_(**other), format_times((*other)->cpu_cost.ratio.value),
                       (*other)->cpu_cost.sure ? "" : ", as it looks");
  }

  // How far behind those are that are shown to be slower.
  [[nodiscard]] std::string describe_next() const {
    const auto next = std::ranges::find(verdict_.ranking, rank_class::slower, &ranked_candidate::place);
    if (next == verdict_.ranking.end()) return {};
    const std::size_t slower = verdict_.count(rank_class::slower);
    const std::string how = format_gain(next->to_leader);
    return slower == 1 ? fmt::format("{} is {}.", name_(*next), how)
                       : fmt::format("{} are slower; the next, {}, is {}.", slower, name_(*next), how);
  }

  [[nodiscard]] std::string describe_left_early() const {
    const std::size_t count = verdict_.count(rank_class::not_in_final);
    if (count == 0) return {};
    return fmt::format("{} left early, because {} did not look as good in the first rounds; that proves nothing.",
                       count == 1 ? "One" : std::to_string(count), count == 1 ? "it" : "they");
  }

  [[nodiscard]] std::string compare_with(const ranked_candidate& baseline) const {
    return fmt::format("{} is {}, in {} of {}, and takes {:.3f} CPU s/GB.", name_(baseline),
                       format_gain(baseline.to_leader), format_count(baseline.to_leader.ratio.count, "round"),
                       format_size(baseline.size), baseline.cpu_per_gb);
  }

  [[nodiscard]] std::string describe_ceiling(const ranked_candidate& ranked) const {
    if (!ranked.bound_by_generator) return {};
    return fmt::format(
        "{} is nearer than {:.2g} x to what the {} alone does here, {}: its figures are bounded by that.",
        name_(ranked), ceiling_distance, reads(verdict_.measured_class) ? "checksum" : "generator",
        format_rate(*ranked.bound_by_generator));
  }

  [[nodiscard]] std::string names(const std::vector<const ranked_candidate*>& candidates) const {
    std::string all;
    const std::size_t shown = std::min(candidates.size(), names_shown);
    for (std::size_t i = 0; i < shown; ++i) {
      const bool last = i + 1 == shown && shown == candidates.size();
      all += (i == 0 ? "" : last ? " and " : ", ") + name_(*candidates[i]);
    }
    if (candidates.size() > shown) all += fmt::format(" and {} more", candidates.size() - shown);
    return all;
  }

  const class_verdict& verdict_;
  const candidate_namer& name_;
  class_answer answer_;
  std::vector<const ranked_candidate*> rivals_;
};

}  // namespace

std::string_view describe_use(const trial_plan& plan) {
  static constexpr std::array<std::string_view, 5> words{
      "To write new files", "To write files that are on the disk after close()",
      "To write files of which each block is on the disk", "To read files that are not in memory",
      "To read files that are in memory"};
  if (plan.measured_class == io_class::none && plan.target == target_kind::overwrite) return "To write over files";
  return words.at(static_cast<std::size_t>(plan.measured_class));
}

verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name) {
  return describe_verdict(verdict, name, find_answer(verdict));
}

verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name, const class_answer& answer) {
  const verdict_writer writer{verdict, name, answer};
  verdict_text text{writer.answer(), writer.remarks()};
  if (std::string other = describe_other_memory(verdict, name); !other.empty())
    text.remarks.insert(text.remarks.begin(), std::move(other));
  return text;
}

std::string describe_other_memory(const class_verdict& verdict, const candidate_namer& name) {
  if (!verdict.other_memory) return {};
  const class_verdict& other = *verdict.other_memory;
  return fmt::format("While new memory was {} to touch: {}", other.met_slow_memory ? "slow" : "quick",
                     uncapitalized(verdict_writer{other, name, find_answer(other)}.answer()));
}

std::string describe_rounds_needed(std::optional<std::size_t> rounds) {
  constexpr std::size_t worth_waiting = 200;
  if (!rounds) return {};
  if (*rounds > worth_waiting) return "more rounds would hardly decide, because the trials vary so much";
  return fmt::format("about {} would decide", format_count(*rounds, "more round"));
}

std::string format_rate(double mb_per_second) {
  constexpr double gigabyte = 1000;
  return mb_per_second >= gigabyte ? fmt::format("{:.1f} GB/s", mb_per_second / gigabyte)
                                   : format_figure(mb_per_second) + " MB/s";
}

}  // namespace freshet::tool
