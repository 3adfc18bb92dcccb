#include "tool/search/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "src/method/registry.hpp"
#include "tool/search/significance.hpp"
#include "tool/search/usable_samples.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

constexpr double lucky = 2;                    // times as fast as others: no single trial is by luck
constexpr std::size_t enough_of_one_size = 3;  // trials, before those of other sizes are ignored

// Returns the largest size that at least enough_of_one_size of `sizes` have.
std::optional<std::uint64_t> find_common_size(const std::vector<std::uint64_t>& sizes) {
  std::map<std::uint64_t, std::size_t, std::greater<>> count;
  for (const std::uint64_t size : sizes) ++count[size];
  for (const auto& [size, times] : count)
    if (times >= enough_of_one_size) return size;
  return std::nullopt;
}

double compute_median(const candidate& entry, double (trial_result::*figure)() const) {
  return median(collect(usable_samples(entry), figure));
}

// The seconds per GB of both in the rounds that they share.
std::vector<pairing> shared_rounds(const candidate& first, const candidate& second) {
  std::map<unsigned, const trial_result*> by_round;
  for (const trial_result& trial : first.trials)
    if (trial.is_usable()) by_round[trial.round] = &trial;
  std::vector<pairing> pairs;
  std::vector<std::uint64_t> sizes;
  for (const trial_result& trial : second.trials) {
    const auto other = by_round.find(trial.round);
    if (!trial.is_usable() || other == by_round.end() || other->second->bytes != trial.bytes) continue;
    pairs.push_back({other->second->seconds_per_gb(), trial.seconds_per_gb()});
    sizes.push_back(trial.bytes);
  }
  const std::optional<std::uint64_t> size = find_common_size(sizes);
  if (!size) return pairs;
  std::vector<pairing> of_one_size;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (sizes[i] == *size) of_one_size.push_back(pairs[i]);
  return of_one_size;
}

std::vector<double> all_seconds(const candidate& entry) {
  return collect(usable_samples(entry), &trial_result::seconds_per_gb);
}

bool have_same_bill(double first, double second) {
  return std::abs(first - second) <= std::max(cpu_noise, cpu_noise_share * std::max(first, second));
}

// The ratio of seconds up to which the first is preferred: 1, unless one of them has the lower bill.
double choose_limit(const candidate& first, const candidate& second) {
  const double mine = cpu_per_gb(first);
  const double theirs = cpu_per_gb(second);
  if (have_same_bill(mine, theirs)) return 1;
  return mine < theirs ? near_enough : 1 / near_enough;
}

outcome decide(const estimate& ratio, double limit) {
  if (ratio.count < rounds_to_decide) return outcome::undecided;
  if (limit == 1 && ratio.range.inside(1 - tie_margin, 1 + tie_margin)) return outcome::tie;
  if (ratio.range.high < limit) return outcome::better;
  if (ratio.range.low > limit) return outcome::worse;
  return outcome::undecided;
}

// The factor by which the rounds must grow until an interval that reaches `reach` from its value only reaches `room`:
// it shrinks with the square root of their number. Infinite if the value itself lies beyond the limit.
double rounds_factor(double reach, double room) {
  return room > 0 ? (reach / room) * (reach / room) : std::numeric_limits<double>::infinity();
}

// About how many rounds are needed in all for the nearest result, if the value stays the same.
double rounds_in_all(const estimate& ratio, double limit) {
  const double below = ratio.value - ratio.range.low;
  const double above = ratio.range.high - ratio.value;
  double factor =
      ratio.value < limit ? rounds_factor(above, limit - ratio.value) : rounds_factor(below, ratio.value - limit);
  if (limit == 1)
    factor = std::min(factor, std::max(rounds_factor(above, 1 + tie_margin - ratio.value),
                                       rounds_factor(below, ratio.value - (1 - tie_margin))));
  return std::max(factor * static_cast<double>(ratio.count), static_cast<double>(rounds_to_decide));
}

std::optional<std::size_t> rounds_to_go(const estimate& ratio, double limit) {
  constexpr double never = 1e6;
  if (ratio.count < enough_of_one_size) return std::nullopt;
  const double rounds = rounds_in_all(ratio, limit);
  if (!(rounds < never)) return std::nullopt;
  const auto more = std::ceil(rounds) - static_cast<double>(ratio.count);
  return static_cast<std::size_t>(std::max(more, 1.0));
}

using indices = std::vector<std::size_t>;

// The candidates that may win: not dropped, and measured twice if any was, or far ahead.
indices find_eligible(std::span<const candidate> candidates) {
  const bool all_dropped =
      std::ranges::all_of(candidates, [](const candidate& entry) { return !entry.dropped.empty(); });
  indices eligible;
  std::size_t most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!all_dropped && !candidates[i].dropped.empty()) continue;
    eligible.push_back(i);
    most = std::max(most, count_usable(candidates[i]));
  }
  const std::size_t enough = std::clamp<std::size_t>(most, 1, 2);
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t i : eligible)
    if (count_usable(candidates[i]) >= enough) best = std::min(best, seconds_per_gb(candidates[i]));
  // One trial may be lucky, but not that lucky.
  std::erase_if(eligible, [&](std::size_t i) {
    const std::size_t trials = count_usable(candidates[i]);
    return trials == 0 || (trials < enough && seconds_per_gb(candidates[i]) * lucky >= best);
  });
  return eligible;
}

// The fastest of `some`, by shared rounds: starts from the best median and moves on to the candidate that beats it
// most, as long as there is one.
std::size_t find_fastest(std::span<const candidate> candidates, const indices& some) {
  const auto slower = [&](std::size_t a, std::size_t b) {
    return seconds_per_gb(candidates[a]) < seconds_per_gb(candidates[b]);
  };
  std::size_t best = *std::ranges::min_element(some, slower);
  for (std::size_t step = 0; step < some.size(); ++step) {
    std::size_t better = best;
    double least = 1;
    for (const std::size_t i : some) {
      const double against = i == best ? 1 : seconds_ratio(candidates[i], candidates[best]);
      if (against < least) {
        least = against;
        better = i;
      }
    }
    if (better == best) break;
    best = better;
  }
  return best;
}

std::tuple<std::size_t, std::size_t, unsigned, bool> complexity_key(const trial_plan& plan) {
  const std::span<const detail::method_entry> simplest_first = detail::method_entries();
  const auto place = std::ranges::find(simplest_first, plan.method, &detail::method_entry::name);
  return {static_cast<std::size_t>(place - simplest_first.begin()), plan.block, plan.depth, plan.reserve};
}

// The plan's ceiling if its median is too near to it: single trials may be fast by luck.
std::optional<double> find_bound(const std::vector<const trial_result*>& samples) {
  const std::vector<double> ceilings = collect(samples, &trial_result::generator_ceiling);
  if (ceilings.empty()) return {};
  const double ceiling = median(ceilings);
  if (median(collect(samples, &trial_result::rate_to_close)) * ceiling_distance <= ceiling) return {};
  return ceiling;
}

ranked_candidate rank_entry(std::span<const candidate> candidates, std::size_t index, const candidate& winner) {
  const candidate& entry = candidates[index];
  const std::vector<const trial_result*> samples = usable_samples(entry);
  return {.index = index,
          .plan = entry.plan,
          .size = samples.back()->plan.size,
          .rate = estimate_median(collect(samples, &trial_result::ranking_rate)),
          .cpu_per_gb = cpu_per_gb(entry),
          .to_winner =
              &entry == &winner ? comparison{{1, {1, 1}, samples.size()}, true, outcome::tie} : compare(entry, winner),
          .bound_by_generator = find_bound(samples),
          .dropped = entry.dropped};
}

verdict_state decide_state(const class_verdict& verdict) {
  if (verdict.ranking.empty() || !verdict.unmeasured.empty()) return verdict_state::undecided;
  verdict_state state = verdict_state::decided;
  for (std::size_t i = 1; i < verdict.ranking.size(); ++i) {
    const ranked_candidate& other = verdict.ranking[i];
    if (is_clearly_slower(other)) continue;
    if (other.to_winner.result != outcome::tie) return verdict_state::undecided;
    state = verdict_state::tie;
  }
  return state;
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

}  // namespace

bool is_clearly_slower(const ranked_candidate& ranked) {
  if (ranked.to_winner.result == outcome::worse) return true;
  // A candidate that was dropped early has too few rounds for a result, so its whole interval must lie above 1.
  return !ranked.dropped.empty() && ranked.to_winner.ratio.range.low > 1;
}

std::optional<double> worst_case_ratio(const class_verdict& verdict) {
  double times = 1;
  for (std::size_t i = 1; i < verdict.ranking.size(); ++i) {
    const estimate& ratio = verdict.ranking[i].to_winner.ratio;
    const double shown = ratio.has_interval() ? 1 : ratio.count > 1 ? clear_after_two : clear_after_one;
    if (ratio.range.low > shown) continue;
    if (!ratio.has_interval()) return {};
    times = std::max(times, 1 / ratio.range.low);
  }
  return times;
}

std::size_t count_usable(const candidate& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(entry.trials, &trial_result::is_usable));
}

std::vector<const trial_result*> usable_samples(const candidate& entry) {
  std::vector<std::uint64_t> sizes;
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable()) sizes.push_back(trial.bytes);
  const std::optional<std::uint64_t> size = find_common_size(sizes);
  std::vector<const trial_result*> samples;
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable() && (!size || trial.bytes == *size)) samples.push_back(&trial);
  return samples;
}

double seconds_per_gb(const candidate& entry) { return compute_median(entry, &trial_result::seconds_per_gb); }
double ranking_rate(const candidate& entry) { return 1e3 / seconds_per_gb(entry); }
double cpu_per_gb(const candidate& entry) { return compute_median(entry, &trial_result::cpu_per_gb); }

comparison compare(const candidate& first, const candidate& second) {
  comparison result;
  const std::vector<pairing> pairs = shared_rounds(first, second);
  result.paired = pairs.size() >= 2;
  result.ratio = result.paired ? estimate_paired_ratio(pairs) : estimate_ratio(all_seconds(first), all_seconds(second));
  const double limit = choose_limit(first, second);
  result.result = decide(result.ratio, limit);
  if (result.result == outcome::undecided) result.rounds_to_go = rounds_to_go(result.ratio, limit);
  return result;
}

double seconds_ratio(const candidate& first, const candidate& second) {
  const std::vector<pairing> pairs = shared_rounds(first, second);
  if (pairs.size() < 2) return seconds_per_gb(first) / seconds_per_gb(second);
  return median(collect(pairs, &pairing::ratio));
}

bool is_simpler(const trial_plan& first, const trial_plan& second) {
  return complexity_key(first) < complexity_key(second);
}

std::size_t find_leader(std::span<const candidate> candidates) {
  indices eligible = find_eligible(candidates);
  if (eligible.empty()) return candidates.size();
  const std::size_t first = find_fastest(candidates, eligible);
  std::erase_if(eligible, [&](std::size_t i) {
    return i != first && seconds_ratio(candidates[i], candidates[first]) > near_enough;
  });
  double lowest = cpu_per_gb(candidates[first]);
  for (const std::size_t i : eligible) lowest = std::min(lowest, cpu_per_gb(candidates[i]));
  std::erase_if(eligible, [&](std::size_t i) { return !have_same_bill(cpu_per_gb(candidates[i]), lowest); });
  const std::size_t lowest_cpu = find_fastest(candidates, eligible);
  std::size_t best = lowest_cpu;
  for (const std::size_t i : eligible) {
    if (i == lowest_cpu || !is_simpler(candidates[i].plan, candidates[best].plan)) continue;
    if (compare(candidates[i], candidates[lowest_cpu]).result == outcome::tie) best = i;
  }
  return best;
}

class_verdict rank_candidates(io_class measured_class, std::span<const candidate> candidates) {
  class_verdict verdict{.measured_class = measured_class};
  for (const candidate& entry : candidates) {
    for (const trial_result& trial : entry.trials)
      if (!trial.is_usable()) ++verdict.left_out[first_reason(trial)];
    if (count_usable(entry) == 0 && entry.dropped.empty()) verdict.unmeasured.push_back(entry.plan);
  }
  const std::size_t winner = find_leader(candidates);
  if (winner == candidates.size()) return verdict;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (count_usable(candidates[i]) > 0) verdict.ranking.push_back(rank_entry(candidates, i, candidates[winner]));
  const auto place = [&](const ranked_candidate& ranked) {
    return std::tuple{ranked.index != winner, !ranked.dropped.empty(), ranked.to_winner.ratio.value};
  };
  std::ranges::sort(verdict.ranking, std::ranges::less{}, place);
  verdict.state = decide_state(verdict);
  find_oddities(candidates, verdict);
  return verdict;
}

rounds_needed estimate_rounds_needed(const class_verdict& verdict) {
  rounds_needed needed;
  for (const ranked_candidate& ranked : verdict.ranking) {
    const comparison& result = ranked.to_winner;
    if (result.result != outcome::undecided || is_clearly_slower(ranked)) continue;
    const std::size_t least = rounds_to_decide - std::min<std::size_t>(result.ratio.count, rounds_to_decide - 1);
    needed.at_least = needed.at_least || !result.rounds_to_go;
    needed.rounds = std::max(needed.rounds, result.rounds_to_go.value_or(least));
  }
  return needed;
}

std::string_view to_string(outcome result) {
  static constexpr std::array<std::string_view, 4> names{"better", "worse", "tie", "undecided"};
  return names.at(static_cast<std::size_t>(result));
}

std::string_view to_string(verdict_state state) {
  static constexpr std::array<std::string_view, 3> names{"decided", "tie", "undecided"};
  return names.at(static_cast<std::size_t>(state));
}

}  // namespace freshet::tool
