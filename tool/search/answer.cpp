#include "tool/search/answer.hpp"

#include <algorithm>
#include <iterator>

namespace freshet::tool {
namespace {

bool loses_small_files(std::span<const sized_result> smaller) {
  return std::ranges::any_of(smaller, [](const sized_result& size) {
    return !size.verdict.gain || size.verdict.gain->result == outcome::worse;
  });
}

bool is_settled(const class_answer& answer, const class_verdict& verdict) {
  if (answer.best->rate.count < rounds_to_decide || find_challenger(verdict) != nullptr) return false;
  if (verdict.ranking.size() > 1 && verdict.state != verdict_state::alike &&
      !(verdict.at_worst && *verdict.at_worst <= 1 + largest_regret))
    return false;
  if (!answer.gain) return answer.by_themselves == nullptr;
  return is_certain(*answer.gain) ||
         (answer.gain->ratio.count >= rounds_to_decide && 1 / answer.gain->ratio.range.low <= 1 + largest_regret);
}

std::vector<way_for_sizes> list_by_size(std::span<const sized_result> smaller, const ranked_candidate& recommended) {
  std::vector<way_for_sizes> all;
  const auto add = [&](std::uint64_t size, const ranked_candidate& way) {
    if (!all.empty() && all.back().plan.method == way.plan.method)
      all.back() = {size, way.plan, way.rate.value};
    else
      all.push_back({size, way.plan, way.rate.value});
  };
  // Where the way is not shown to be faster, programs keep what they have.
  for (const sized_result& size : smaller)
    if (!size.verdict.ranking.empty()) add(size.size, size.verdict.recommended());
  add(recommended.size, recommended);
  if (all.size() == 1) all.clear();
  return all;
}

}  // namespace

const ranked_candidate* find_challenger(const class_verdict& verdict) {
  const auto found = std::ranges::find_if(verdict.ranking, [](const ranked_candidate& ranked) {
    return ranked.place == rank_class::not_in_final && ranked.to_leader.ratio.value < 1;
  });
  return found == verdict.ranking.end() ? nullptr : &*found;
}

class_answer find_answer(const class_verdict& verdict, std::span<const sized_result> smaller) {
  class_answer answer;
  if (verdict.ranking.empty()) return answer;
  answer.by_themselves = verdict.find_by_themselves();
  answer.best = &verdict.ranking.front();
  answer.gain = verdict.gain;
  const bool gains = &verdict.recommended() == answer.best && answer.best != answer.by_themselves;
  answer.what = !gains ? advice::nothing : loses_small_files(smaller) ? advice::code : advice::profile;
  answer.is_sure = is_settled(answer, verdict);
  if (!verdict.baselines.empty()) answer.baseline = &verdict.baselines.front();
  answer.over_baseline = verdict.over_baseline;
  answer.by_size = list_by_size(smaller, answer.recommended());
  return answer;
}

class_answer find_answer(const answered_question& of) { return find_answer(of.verdict, of.smaller); }

}  // namespace freshet::tool
