#include "tool/search/answer.hpp"

#include <algorithm>
#include <iterator>

namespace freshet::tool {
namespace {

// What was compared with what programs get by themselves, as a profile would change that.
const std::optional<comparison>& gain_of(const class_verdict& verdict) {
  return verdict.profile_gain ? verdict.profile_gain : verdict.gain;
}

bool loses_small_files(std::span<const sized_result> smaller) {
  return std::ranges::any_of(smaller, [](const sized_result& size) {
    const std::optional<comparison>& gain = gain_of(size.verdict);
    return !gain || gain->result == outcome::worse;
  });
}

bool is_better(const std::optional<comparison>& gain) { return gain && gain->result == outcome::better; }

advice choose_advice(const class_answer& answer, std::span<const sized_result> smaller, bool needs_profile_tried) {
  if (answer.best == answer.by_themselves) return advice::nothing;
  const bool way_gains = answer.by_themselves == nullptr || is_better(answer.gain);
  const bool is_tried = answer.profile_gain || needs_profile_tried;
  const bool profile_gains = is_tried ? is_better(answer.profile_gain) : way_gains;
  if (profile_gains && !loses_small_files(smaller)) return advice::profile;
  return way_gains ? advice::code : advice::nothing;
}

// Whether the gain is known, or at least that it is not large.
bool is_settled(const std::optional<comparison>& gain) {
  return !gain || is_certain(*gain) ||
         (gain->ratio.count >= rounds_to_decide && 1 / gain->ratio.range.low <= 1 + largest_regret);
}

// Whether enough rounds show the best way, and no other looks faster.
bool is_best_known(const class_answer& answer, const class_verdict& verdict) {
  if (answer.best->rate.count < rounds_to_decide || find_challenger(verdict) != nullptr) return false;
  return verdict.ranking.size() == 1 || verdict.state == verdict_state::alike ||
         (verdict.at_worst && *verdict.at_worst <= 1 + largest_regret);
}

bool is_way_settled(const class_answer& answer) {
  return answer.gain ? is_settled(answer.gain) : answer.by_themselves == nullptr;
}

bool is_advice_settled(const class_answer& answer, bool needs_profile_tried) {
  if (answer.what == advice::profile && answer.profile_gain) return is_certain(*answer.profile_gain);
  if (answer.what == advice::code && needs_profile_tried && !answer.profile_gain) return false;
  return is_way_settled(answer) && is_settled(answer.profile_gain);
}

std::vector<way_for_sizes> list_by_size(std::span<const sized_result> smaller, const ranked_candidate& recommended) {
  std::vector<way_for_sizes> all;
  const auto add = [&](std::uint64_t size, const ranked_candidate& way) {
    if (!all.empty() && all.back().plan.method == way.plan.method && all.back().plan.prior == way.plan.prior)
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

class_answer find_answer(const class_verdict& verdict, std::span<const sized_result> smaller,
                         bool needs_profile_tried) {
  class_answer answer;
  if (verdict.ranking.empty()) return answer;
  answer.by_themselves = verdict.find_by_themselves();
  answer.with_profile = verdict.find_with_profile();
  answer.profile_gain = verdict.profile_gain;
  answer.best = &verdict.ranking.front();
  answer.gain = verdict.gain;
  answer.what = choose_advice(answer, smaller, needs_profile_tried);
  const bool is_known = is_best_known(answer, verdict);
  answer.is_way_sure = is_known && is_way_settled(answer);
  answer.is_sure = is_known && is_advice_settled(answer, needs_profile_tried);
  if (!verdict.baselines.empty()) answer.baseline = &verdict.baselines.front();
  if (&answer.recommended() == &verdict.recommended()) answer.over_baseline = verdict.over_baseline;
  answer.by_size = list_by_size(smaller, answer.recommended());
  return answer;
}

class_answer find_answer(const answered_question& of) {
  return find_answer(of.verdict, of.smaller, of.needs_profile_tried);
}

}  // namespace freshet::tool
