#include "tool/search/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/method/registry.hpp"
#include "tool/search/reasons.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr double single_trial_margin = 2;  // times as fast as others: no single trial is that much by luck

using indices = std::vector<std::size_t>;

// The candidates that may win: not dropped, and measured twice if any was, or far ahead.
indices find_eligible(std::span<const candidate> candidates) {
  indices eligible;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (!candidates[i].is_baseline && count_usable(candidates[i]) > 0) eligible.push_back(i);
  const auto keep_only = [&](auto wanted) {
    if (std::ranges::any_of(eligible, wanted)) std::erase_if(eligible, std::not_fn(wanted));
  };
  keep_only([&](std::size_t i) { return !changes_method(candidates[i].plan); });
  keep_only([&](std::size_t i) { return candidates[i].plan.prior == prior_state::none; });
  keep_only([&](std::size_t i) { return candidates[i].dropped.empty(); });
  std::size_t most = 0;
  for (const std::size_t i : eligible) most = std::max(most, count_usable(candidates[i]));
  const std::size_t enough = std::clamp<std::size_t>(most, 1, 2);
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t i : eligible)
    if (count_usable(candidates[i]) >= enough) best = std::min(best, seconds_per_gb(candidates[i]));
  // One trial may be lucky, but not that lucky.
  std::erase_if(eligible, [&](std::size_t i) {
    const std::size_t trials = count_usable(candidates[i]);
    return trials < enough && seconds_per_gb(candidates[i]) * single_trial_margin >= best;
  });
  return eligible;
}

// The fastest of `some`: each is compared with the one that has most trials, in the rounds that both share.
std::size_t find_fastest(std::span<const candidate> candidates, const indices& some) {
  const std::size_t reference = *std::ranges::min_element(some, {}, [&](std::size_t i) {
    return std::pair{-static_cast<std::ptrdiff_t>(count_usable(candidates[i])), seconds_per_gb(candidates[i])};
  });
  return *std::ranges::min_element(some, {}, [&](std::size_t i) {
    return i == reference ? 1 : seconds_ratio(candidates[i], candidates[reference]);
  });
}

// Leaves those with the least of a figure.
template <typename Figure>
void keep_least(indices& some, Figure figure) {
  const auto least = std::invoke(figure, std::ranges::min(some, {}, figure));
  std::erase_if(some, [&](std::size_t i) { return std::invoke(figure, i) != least; });
}

std::size_t method_complexity(const trial_plan& plan) {
  const std::span<const detail::method_entry> simplest_first = detail::method_entries();
  const auto place = std::ranges::find(simplest_first, plan.method, &detail::method_entry::name);
  return static_cast<std::size_t>(place - simplest_first.begin());
}

// The words of a volume's name: its type and its options. What needs fewer options is simpler.
std::ptrdiff_t count_options(std::string_view volume) {
  return std::ranges::count_if(volume, [](char each) { return each == ' ' || each == ','; });
}

// The plan's ceiling if its median is too near to it: single trials may be fast by luck.
std::optional<double> find_bound(const std::vector<const trial_result*>& samples) {
  const std::vector<double> ceilings = collect(samples, &trial_result::generator_ceiling);
  if (ceilings.empty()) return {};
  const double ceiling = median(ceilings);
  if (median(collect(samples, &trial_result::rate_to_close)) * ceiling_distance <= ceiling) return {};
  return ceiling;
}

// Whether a plan of this kind may be picked where one of the pick's kind is there.
bool competes(const trial_plan& plan, const trial_plan& pick) {
  return (!changes_method(plan) || changes_method(pick)) &&
         (plan.prior == prior_state::none || pick.prior != prior_state::none);
}

ranked_candidate rank_entry(std::span<const candidate> candidates, std::size_t index, std::size_t pick) {
  const candidate& entry = candidates[index];
  const sorted_trials<trial_result> sorted = sort_trials(entry.trials);
  const std::vector<const trial_result*>& samples = sorted.counted;
  return {.index = index,
          .plan = entry.plan,
          .size = samples.back()->plan.size,
          .rate = estimate_median(collect(samples, &trial_result::ranking_rate)),
          .cpu_per_gb = cpu_per_gb(entry),
          .bound_by_generator = find_bound(samples),
          .dropped = entry.dropped,
          .left_out = count_reasons(sorted),
          .may_be_picked = competes(entry.plan, candidates[pick].plan)};
}

bool is_in_the_final(const candidate& entry) {
  return std::ranges::any_of(entry.trials, [](const trial_result& trial) { return !trial.screening; });
}

// Compares all with the pick. What has better figures in files of the pick's size is of the leading group, whatever the
// rounds show that both share: an answer must not look worse than what was measured. Slower are those shown to be
// slower than one of those that the pick was not shown to differ from: during a race the leader changes, and which of
// them is the pick in the end is often chance.
void compare_with_leaders(std::vector<ranked_candidate>& ranking, std::span<const candidate> candidates,
                          std::size_t pick, const comparison_rules& rules) {
  indices leaders{pick};
  const ranked_candidate picked = *std::ranges::find(ranking, pick, &ranked_candidate::index);
  const auto looks_faster = [&](const ranked_candidate& ranked) {
    return ranked.rate.value > picked.rate.value && ranked.size == picked.size;
  };
  for (ranked_candidate& ranked : ranking) {
    const candidate& entry = candidates[ranked.index];
    ranked.leader = pick;
    if (ranked.index == pick) {
      ranked.place = rank_class::pick;
      ranked.to_leader = {{1, {1, 1}, ranked.rate.count, 1}, true, outcome::tie};
      ranked.cpu_cost = {.ratio = {1, {1, 1}, ranked.rate.count, 1}};
      continue;
    }
    ranked.to_leader = compare(entry, candidates[pick], rules);
    ranked.cpu_cost = compare_cpu_costs(entry, candidates[pick]);
    const bool met_in_the_end = is_in_the_final(entry) || !is_in_the_final(candidates[pick]);
    const bool left_early = !entry.dropped.empty() || !met_in_the_end;
    ranked.place = entry.is_baseline                           ? rank_class::baseline
                   : looks_faster(ranked)                      ? rank_class::leading
                   : ranked.to_leader.result == outcome::worse ? rank_class::slower
                   : left_early                                ? rank_class::not_in_final
                                                               : rank_class::leading;
    if (ranked.place == rank_class::leading && ranked.may_be_picked) leaders.push_back(ranked.index);
  }
  for (ranked_candidate& ranked : ranking) {
    if (ranked.place != rank_class::not_in_final && ranked.place != rank_class::leading) continue;
    if (looks_faster(ranked)) continue;
    for (const std::size_t leader : leaders) {
      if (leader == ranked.index) continue;
      const comparison against = compare(candidates[ranked.index], candidates[leader], rules);
      if (against.result != outcome::worse || against.ratio.range.low < ranked.to_leader.ratio.range.low) continue;
      ranked.to_leader = against;
      ranked.leader = leader;
      ranked.place = rank_class::slower;
    }
  }
}

std::optional<double> bound_regret(const class_verdict& verdict) {
  if (verdict.ranking.empty()) return {};
  double worst = 1;
  for (const ranked_candidate& ranked : verdict.ranking) {
    if (ranked.place != rank_class::leading || !ranked.may_be_picked) continue;
    if (ranked.has_few_rounds()) return {};
    worst = std::max(worst, 1 / ranked.to_leader.ratio.range.low);
  }
  return worst;
}

verdict_state decide_state(const class_verdict& verdict) {
  if (verdict.ranking.empty()) return verdict_state::failed;
  const std::size_t others = verdict.ranking.size() - 1;
  const auto is_alike = [](const ranked_candidate& ranked) { return ranked.to_leader.result == outcome::tie; };
  if (others > 0 && std::ranges::all_of(verdict.ranking, is_alike)) return verdict_state::alike;
  if (others > 0 && verdict.count(rank_class::slower) == 0) return verdict_state::failed;
  return verdict.at_worst && *verdict.at_worst <= 1 + largest_regret ? verdict_state::decided
                                                                     : verdict_state::undecided;
}

decided_by find_reason(const class_verdict& verdict) {
  decided_by reason = decided_by::speed;
  for (const ranked_candidate& ranked : verdict.ranking) {
    if (ranked.place != rank_class::leading || !ranked.may_be_picked) continue;
    if (ranked.plan.method == verdict.ranking.front().plan.method) continue;
    if (!ranked.cpu_cost.differs) return decided_by::simplicity;
    if (ranked.cpu_cost.ratio.value > 1) reason = decided_by::cpu_cost;
  }
  return reason;
}

// The usable trials of all candidates, in the order in which they were run.
std::vector<const trial_result*> sort_by_time(std::span<const candidate> candidates) {
  std::vector<const trial_result*> all;
  for (const candidate& entry : candidates)
    for (const trial_result& trial : entry.trials)
      if (trial.is_usable()) all.push_back(&trial);
  std::ranges::stable_sort(all, {}, [](const trial_result* trial) {
    return std::tuple{std::string_view{trial->started}, trial->round, trial->position};
  });
  return all;
}

// Trials of equal plans, and so of one size.
struct repetitions {
  std::vector<const trial_result*> trials;
  std::vector<double> seconds;
};

void find_outliers(const std::vector<repetitions>& kinds, std::vector<outlying_trial>& result) {
  for (const repetitions& kind : kinds) {
    const double usual = median(kind.seconds);
    for (const std::size_t i : outliers(kind.seconds)) {
      const trial_result& trial = *kind.trials[i];
      result.push_back({trial.plan, trial.round, kind.seconds[i] / usual});
    }
  }
}

// Finds outliers, and whether the order of the trials mattered.
void find_oddities(std::span<const candidate> candidates, class_verdict& verdict) {
  std::vector<repetitions> kinds;
  std::vector<timed_trial> times;
  for (const trial_result* trial : sort_by_time(candidates)) {
    const auto same =
        std::ranges::find_if(kinds, [&](const repetitions& kind) { return kind.trials.front()->plan == trial->plan; });
    const auto kind = static_cast<std::size_t>(same - kinds.begin());
    if (same == kinds.end()) kinds.emplace_back();
    kinds[kind].trials.push_back(trial);
    kinds[kind].seconds.push_back(trial->ranking_seconds());
    times.push_back({kind, trial->position, trial->ranking_seconds()});
  }
  find_outliers(kinds, verdict.outliers);
  verdict.order = find_order_effects(times);
}

// How the pick and the profile compare with what programs get by themselves, and how what they should use does with the
// baseline.
void compare_with_usual(class_verdict& verdict, std::span<const candidate> candidates, const comparison_rules& rules) {
  const ranked_candidate* const by_themselves = verdict.find_by_themselves();
  const ranked_candidate& pick = verdict.ranking.front();
  if (by_themselves != nullptr && by_themselves != &pick)
    verdict.gain = compare(candidates[pick.index], candidates[by_themselves->index], rules);
  const ranked_candidate* const with_profile = verdict.find_with_profile();
  if (by_themselves != nullptr && with_profile != nullptr)
    verdict.profile_gain = compare(candidates[with_profile->index], candidates[by_themselves->index], rules);
  if (!verdict.baselines.empty())
    verdict.over_baseline =
        compare(candidates[verdict.recommended().index], candidates[verdict.baselines.front().index], rules);
}

class_verdict rank_in_one_memory(io_class measured_class, std::span<const candidate> candidates,
                                 double negligible_share) {
  class_verdict verdict{.measured_class = measured_class, .negligible_share = negligible_share};
  for (const candidate& entry : candidates) {
    for (const trial_result& trial : entry.trials)
      if (!trial.is_usable()) ++verdict.left_out[first_reason(trial)];
    if (is_unmeasured(entry)) verdict.unmeasured.push_back(entry.plan);
  }
  const std::size_t pick = find_leader(candidates, negligible_share);
  if (pick == candidates.size()) return verdict;
  const comparison_rules rules{negligible_share, estimate_noise(candidates)};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (count_usable(candidates[i]) > 0) verdict.ranking.push_back(rank_entry(candidates, i, pick));
  compare_with_leaders(verdict.ranking, candidates, pick, rules);
  std::ranges::sort(verdict.ranking, {}, [](const ranked_candidate& ranked) {
    return std::pair{ranked.place, ranked.to_leader.ratio.value};
  });
  const auto first_baseline = std::ranges::find(verdict.ranking, rank_class::baseline, &ranked_candidate::place);
  std::ranges::move(first_baseline, verdict.ranking.end(), std::back_inserter(verdict.baselines));
  verdict.ranking.erase(first_baseline, verdict.ranking.end());
  if (!verdict.ranking.empty()) compare_with_usual(verdict, candidates, rules);
  verdict.at_worst = bound_regret(verdict);
  verdict.state = decide_state(verdict);
  verdict.reason = find_reason(verdict);
  find_oddities(candidates, verdict);
  return verdict;
}

// The usable trials that met slow memory, and the others.
std::pair<std::size_t, std::size_t> count_by_memory(std::span<const candidate> candidates) {
  std::pair<std::size_t, std::size_t> count;
  for (const candidate& entry : candidates)
    for (const trial_result& trial : entry.trials)
      if (trial.is_usable()) ++(trial.met_slow_memory ? count.first : count.second);
  return count;
}

// All candidates, each with those of its trials that are wanted.
template <typename Predicate>
std::vector<candidate> keep_trials(std::span<const candidate> candidates, Predicate wanted) {
  std::vector<candidate> kept;
  for (const candidate& entry : candidates) {
    kept.push_back({.plan = entry.plan, .dropped = entry.dropped, .is_baseline = entry.is_baseline});
    std::ranges::copy_if(entry.trials, std::back_inserter(kept.back().trials), wanted);
  }
  return kept;
}

}  // namespace

bool is_usual(const trial_plan& plan) {
  const detail::method_entry* const method = detail::find_method(plan.method);
  return method != nullptr && plan.block == method->good_block && plan.depth == method->good_depth;
}

bool changes_method(const trial_plan& plan) {
  const detail::method_entry* const method = detail::find_method(plan.method);
  return method != nullptr && method->changes;
}

bool is_by_itself(const trial_plan& plan) { return changes_method(plan) && plan.prior == prior_state::none; }

std::size_t find_leader(std::span<const candidate> candidates, double negligible_share) {
  indices close = find_eligible(candidates);
  if (close.empty()) return candidates.size();
  const std::size_t first = find_fastest(candidates, close);
  std::erase_if(close, [&](std::size_t i) {
    return i != first && seconds_ratio(candidates[i], candidates[first]) > 1 + negligible_share;
  });
  const std::size_t cheapest =
      *std::ranges::min_element(close, {}, [&](std::size_t i) { return cpu_per_gb(candidates[i]); });
  std::erase_if(close, [&](std::size_t i) {
    return i != cheapest && compare_cpu_costs(candidates[i], candidates[cheapest]).differs;
  });
  keep_least(close, [&](std::size_t i) { return method_complexity(candidates[i].plan); });
  keep_least(close, [&](std::size_t i) { return count_options(candidates[i].plan.volume); });
  const auto usual = std::ranges::find_if(close, [&](std::size_t i) { return is_usual(candidates[i].plan); });
  return usual != close.end() ? *usual : find_fastest(candidates, close);
}

std::size_t class_verdict::count(rank_class place) const {
  return static_cast<std::size_t>(std::ranges::count(ranking, place, &ranked_candidate::place));
}

const ranked_candidate* class_verdict::find_by_themselves() const {
  const auto place =
      std::ranges::find_if(ranking, [](const ranked_candidate& each) { return is_by_itself(each.plan); });
  return place == ranking.end() ? nullptr : &*place;
}

const ranked_candidate* class_verdict::find_with_profile() const {
  const auto place = std::ranges::find_if(
      ranking, [](const ranked_candidate& each) { return each.plan.prior == prior_state::profile; });
  return place == ranking.end() ? nullptr : &*place;
}

const ranked_candidate& class_verdict::recommended() const {
  if (profile_gain && profile_gain->result == outcome::better) return *find_with_profile();
  const ranked_candidate* const by_themselves = find_by_themselves();
  const bool gains = gain && gain->result == outcome::better;
  return by_themselves == nullptr || gains ? ranking.front() : *by_themselves;
}

disturbances find_disturbances(std::span<const candidate> candidates) {
  disturbances all;
  std::map<std::string, std::size_t> reasons;
  for (const candidate& entry : candidates) {
    all.trials += entry.trials.size();
    for (const trial_result& trial : entry.trials) {
      if (!trial.is_disturbed()) continue;
      ++all.disturbed;
      ++reasons[first_reason(trial)];
    }
    for (const trial_result* trial : usable_samples(entry))
      if (trial->is_disturbed()) ++all.counted;
  }
  std::size_t most = 0;
  for (const left_out_kind& kind : group_reasons(reasons)) {
    if (kind.trials <= most) continue;
    most = kind.trials;
    all.reason = kind.reason;
  }
  return all;
}

class_verdict rank_candidates(io_class measured_class, std::span<const candidate> candidates, double negligible_share) {
  const auto is_slow = [](const trial_result& trial) { return trial.met_slow_memory; };
  const auto [slow, quick] = count_by_memory(candidates);
  const bool usually_slow = slow > quick;
  if (slow == 0 || quick == 0) {
    class_verdict verdict = rank_in_one_memory(measured_class, candidates, negligible_share);
    verdict.met_slow_memory = usually_slow;
    verdict.disturbed = find_disturbances(candidates);
    return verdict;
  }
  const auto is_usual = [&](const trial_result& trial) { return !trial.is_usable() || is_slow(trial) == usually_slow; };
  class_verdict verdict = rank_in_one_memory(measured_class, keep_trials(candidates, is_usual), negligible_share);
  class_verdict other =
      rank_in_one_memory(measured_class, keep_trials(candidates, std::not_fn(is_usual)), negligible_share);
  verdict.met_slow_memory = usually_slow;
  verdict.disturbed = find_disturbances(candidates);
  other.met_slow_memory = !usually_slow;
  if (other.ranking.size() > 1) verdict.other_memory = std::make_shared<const class_verdict>(std::move(other));
  return verdict;
}

std::optional<std::size_t> estimate_rounds_needed(const class_verdict& verdict) {
  if (verdict.state != verdict_state::undecided && verdict.state != verdict_state::failed) return {};
  double more = 0;
  for (const ranked_candidate& ranked : verdict.ranking) {
    if (ranked.place != rank_class::leading) continue;
    const auto rounds = static_cast<double>(ranked.to_leader.ratio.count);
    const interval& range = ranked.to_leader.ratio.range;
    const double reach = std::log(range.high / range.low) / 2;
    const double room = std::log(std::sqrt(range.low * range.high) * (1 + largest_regret));
    more = std::max(more, rounds_to_decide - rounds);
    if (rounds < rounds_to_decide) continue;  // their range is too wide to tell
    if (!ranked.to_leader.paired || !(room > 0)) return {};
    more = std::max(more, std::ceil(rounds * (reach / room) * (reach / room)) - rounds);
  }
  if (!(more >= 1)) return {};
  return static_cast<std::size_t>(more);
}

}  // namespace freshet::tool
