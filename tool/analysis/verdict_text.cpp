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
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t names_shown = 3;
constexpr double worth_saying = 1.5;  // times as much CPU

std::string describe_use(io_class measured_class) {
  static constexpr std::array<std::string_view, 5> words{
      "Write", "Write durably at close", "Write durably block by block", "Read from disk", "Read from memory"};
  return std::string{words.at(static_cast<std::size_t>(measured_class))};
}

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string format_percent(double times) {
  return fmt::format("{:.0f} %", std::max(std::ceil((times - 1) * 100), 1.0));
}

// "half", "an eighth", "1/17": the part that 1 is of `times`.
std::string describe_share(double times) {
  static constexpr std::array<std::string_view, 9> words{"half",      "a third",   "a quarter", "a fifth", "a sixth",
                                                         "a seventh", "an eighth", "a ninth",   "a tenth"};
  const auto whole = static_cast<std::size_t>(std::lround(times));
  if (whole < 2) return "two thirds";
  return whole - 2 < words.size() ? std::string{words.at(whole - 2)} : fmt::format("1/{}", whole);
}

std::string describe_cpu(double baseline_to_pick) {
  if (baseline_to_pick >= worth_saying) return fmt::format(", {} of its CPU", describe_share(baseline_to_pick));
  if (baseline_to_pick <= 1 / worth_saying)
    return fmt::format(", but {} x its CPU", format_times(1 / baseline_to_pick));
  return {};
}

class verdict_writer {
 public:
  verdict_writer(const class_verdict& verdict, const candidate_namer& name) : verdict_{verdict}, name_{name} {
    for (const ranked_candidate& ranked : verdict.ranking)
      if (ranked.place == rank_class::leading && ranked.may_be_picked) rivals_.push_back(&ranked);
  }

  [[nodiscard]] std::string answer() const {
    return fmt::format("{} with {}: {}{} ({}).{}", describe_use(verdict_.measured_class), name_(pick()),
                       format_rate(pick().rate.value), describe_gain(), describe_certainty(), describe_unprofiled());
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
    for (const ranked_candidate& baseline : verdict_.baselines) add(compare_with(baseline));
    for (const ranked_candidate& ranked : verdict_.ranking) add(describe_ceiling(ranked));
    return sentences;
  }

 private:
  [[nodiscard]] const ranked_candidate& pick() const { return verdict_.ranking.front(); }

  [[nodiscard]] std::string describe_gain() const {
    if (verdict_.baselines.empty()) return {};
    const ranked_candidate& baseline = verdict_.baselines.front();
    return fmt::format(", {} than {}{}", format_gain(inverted(baseline.to_leader)), name_(baseline),
                       describe_cpu(baseline.cpu_cost.ratio.value));
  }

  // " A program without a profile gets 2.1 GB/s: adaptive, as fast." The profile names the pick all the same.
  [[nodiscard]] std::string describe_unprofiled() const {
    const ranked_candidate* const unprofiled = verdict_.find_unprofiled();
    if (unprofiled == nullptr) return {};
    const comparison& against = unprofiled->to_leader;
    const std::string_view remark = against.result == outcome::tie      ? ", as fast"
                                    : against.result == outcome::better ? ", faster than any method alone"
                                                                        : "";
    return fmt::format(" A program without a profile gets {}: {}{}.", format_rate(unprofiled->rate.value),
                       name_(*unprofiled), remark);
  }

  [[nodiscard]] std::string describe_certainty() const {
    const bool is_alone = std::ranges::count(verdict_.ranking, true, &ranked_candidate::may_be_picked) == 1;
    if (is_alone) return "nothing else was measured";
    switch (verdict_.state) {
      case verdict_state::alike:
        return fmt::format("{} {} as good", names(rivals_), rivals_.size() == 1 ? "is" : "are");
      case verdict_state::decided:
        if (pick().rate.count < rounds_to_decide)
          return fmt::format("after {}; {} are needed to be sure", format_count(pick().rate.count, "round"),
                             rounds_to_decide);
        return rivals_.empty() ? "sure"
                               : fmt::format("sure to within {}; {} may be as good",
                                             format_percent(verdict_.at_worst.value_or(1)), names(rivals_));
      case verdict_state::undecided:
        return verdict_.at_worst ? fmt::format("not sure: it may cost {} more than {}",
                                               format_percent(*verdict_.at_worst), name_(find_dearest_rival()))
                                 : fmt::format("not sure: {} may be faster, after so few rounds", names(rivals_));
      case verdict_state::failed:
        break;
    }
    return fmt::format("no verdict: nothing was told apart in {}", format_count(pick().rate.count, "round"));
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
  std::vector<const ranked_candidate*> rivals_;
};

}  // namespace

verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name) {
  const verdict_writer writer{verdict, name};
  verdict_text text{writer.answer(), writer.remarks()};
  if (std::string other = describe_other_memory(verdict, name); !other.empty())
    text.remarks.insert(text.remarks.begin(), std::move(other));
  return text;
}

std::string describe_other_memory(const class_verdict& verdict, const candidate_namer& name) {
  if (!verdict.other_memory) return {};
  const class_verdict& other = *verdict.other_memory;
  return fmt::format("While new memory was {} to touch: {}", other.met_slow_memory ? "slow" : "quick",
                     verdict_writer{other, name}.answer());
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
