#include "tool/search/answer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "tool/search/usable_samples.hpp"

namespace freshet::tool {
namespace {

const ranked_candidate* find_by_themselves(const class_verdict& verdict) {
  const ranked_candidate* const found = verdict.find_unprofiled();
  // Where only what changes was measured, it is the pick of its verdict.
  return found == nullptr && !verdict.ranking.empty() && changes_method(verdict.ranking.front().plan)
             ? &verdict.ranking.front()
             : found;
}

comparison compare_ranked(const std::vector<candidate>& candidates, const class_verdict& verdict,
                          const ranked_candidate& first, const ranked_candidate& second) {
  return compare(candidates[first.index], candidates[second.index],
                 {verdict.negligible_share, estimate_noise(candidates)});
}

// How the best way compares with what programs get by themselves; empty if only one of them was measured.
std::optional<comparison> find_gain(const std::vector<candidate>& candidates, const class_verdict& verdict) {
  const ranked_candidate* const by_themselves = find_by_themselves(verdict);
  if (by_themselves == nullptr || by_themselves == &verdict.ranking.front()) return {};
  return compare_ranked(candidates, verdict, verdict.ranking.front(), *by_themselves);
}

bool loses_small_files(const answered_question& of) {
  return std::ranges::any_of(of.smaller, [](const sized_result& size) {
    const std::optional<comparison> gain = find_gain(size.candidates, size.verdict);
    return !gain || gain->result == outcome::worse;
  });
}

// Ways that left early and look faster than the pick.
bool is_challenged(const class_verdict& verdict) {
  return std::ranges::any_of(verdict.ranking, [](const ranked_candidate& ranked) {
    return ranked.place == rank_class::not_in_final && ranked.to_leader.ratio.value < 1;
  });
}

bool is_settled(const class_answer& answer, const class_verdict& verdict) {
  if (answer.best->rate.count < rounds_to_decide || is_challenged(verdict)) return false;
  if (verdict.ranking.size() > 1 && verdict.state != verdict_state::alike &&
      !(verdict.at_worst && *verdict.at_worst <= 1 + largest_regret))
    return false;
  if (!answer.gain) return answer.by_themselves == nullptr;
  return is_certain(*answer.gain) ||
         (answer.gain->ratio.count >= rounds_to_decide && 1 / answer.gain->ratio.range.low <= 1 + largest_regret);
}

std::vector<way_for_sizes> list_by_size(const answered_question& of, const ranked_candidate& recommended) {
  std::vector<way_for_sizes> all;
  const auto add = [&](std::uint64_t size, const ranked_candidate& way) {
    if (!all.empty() && all.back().plan.method == way.plan.method)
      all.back() = {size, way.plan, way.rate.value};
    else
      all.push_back({size, way.plan, way.rate.value});
  };
  for (const sized_result& size : of.smaller) {
    if (size.verdict.ranking.empty()) continue;
    // Where the way is not shown to be faster, programs keep what they have.
    const std::optional<comparison> gain = find_gain(size.candidates, size.verdict);
    const bool gains = gain && gain->result == outcome::better;
    const ranked_candidate* const by_themselves = find_by_themselves(size.verdict);
    add(size.size, gains || by_themselves == nullptr ? size.verdict.ranking.front() : *by_themselves);
  }
  add(recommended.size, recommended);
  if (all.size() == 1) all.clear();
  return all;
}

}  // namespace

class_answer find_answer(const answered_question& of) {
  const class_verdict& verdict = of.verdict;
  class_answer answer;
  if (verdict.ranking.empty()) return answer;
  answer.by_themselves = find_by_themselves(verdict);
  answer.best = &verdict.ranking.front();
  answer.gain = find_gain(of.candidates, verdict);
  const bool gains = answer.gain ? answer.gain->result == outcome::better : answer.by_themselves == nullptr;
  answer.what = !gains ? advice::nothing : loses_small_files(of) ? advice::code : advice::profile;
  answer.is_sure = is_settled(answer, verdict);
  if (!verdict.baselines.empty()) {
    answer.baseline = &verdict.baselines.front();
    answer.over_baseline = compare_ranked(of.candidates, verdict, answer.recommended(), *answer.baseline);
  }
  answer.by_size = list_by_size(of, answer.recommended());
  return answer;
}

}  // namespace freshet::tool
