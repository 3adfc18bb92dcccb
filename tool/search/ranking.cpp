#include "tool/search/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

#include "src/method/registry.hpp"
#include "tool/search/left_out.hpp"

namespace freshet::tool {

namespace {

constexpr std::size_t trials_to_speak = 3;  // of one size, before those of other sizes are left aside

double seconds_per_gb(const trial_result& made) {
  return made.ranking_seconds() / static_cast<double>(made.bytes) * 1e9;
}
double cpu_per_gb(const trial_result& made) { return made.cpu_whole / static_cast<double>(made.bytes) * 1e9; }

/// The largest size that at least trials_to_speak of `sizes` have.
std::optional<std::uint64_t> speaking_size(const std::vector<std::uint64_t>& sizes) {
  std::map<std::uint64_t, std::size_t, std::greater<>> count;
  for (const std::uint64_t size : sizes) ++count[size];
  for (const auto& [size, times] : count) {
    if (times >= trials_to_speak) return size;
  }
  return std::nullopt;
}

double median_of(const candidate& who, double (*figure)(const trial_result&)) {
  std::vector<double> figures;
  for (const trial_result* made : evidence(who)) figures.push_back(figure(*made));
  return median(std::move(figures));
}

/// The seconds of both in the rounds that they share.
std::vector<pairing> shared_rounds(const candidate& first, const candidate& second) {
  std::map<unsigned, const trial_result*> by_round;
  for (const trial_result& made : first.trials) {
    if (counts(made)) by_round[made.round] = &made;
  }
  std::vector<pairing> pairs;
  std::vector<std::uint64_t> sizes;
  for (const trial_result& made : second.trials) {
    const auto other = by_round.find(made.round);
    if (!counts(made) || other == by_round.end() || other->second->bytes != made.bytes) continue;
    pairs.push_back({seconds_per_gb(*other->second), seconds_per_gb(made)});
    sizes.push_back(made.bytes);
  }
  const std::optional<std::uint64_t> size = speaking_size(sizes);
  if (!size) return pairs;
  std::vector<pairing> speaking;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (sizes[i] == *size) speaking.push_back(pairs[i]);
  }
  return speaking;
}

std::vector<double> all_seconds(const candidate& who) {
  std::vector<double> seconds;
  for (const trial_result* made : evidence(who)) seconds.push_back(seconds_per_gb(*made));
  return seconds;
}

bool same_bill(double first, double second) {
  return std::abs(first - second) <= std::max(cpu_noise, cpu_noise_share * std::max(first, second));
}

/// The ratio of seconds up to which the first is preferred: 1, unless one has the lower bill.
double preferred_up_to(const candidate& first, const candidate& second) {
  const double mine = cpu_per_gb(first);
  const double theirs = cpu_per_gb(second);
  if (same_bill(mine, theirs)) return 1;
  return mine < theirs ? near_enough : 1 / near_enough;
}

outcome decide(const estimate& ratio, double limit) {
  if (ratio.count < rounds_to_decide) return outcome::undecided;
  if (limit == 1 && ratio.range.inside(1 - tie_margin, 1 + tie_margin)) return outcome::tie;
  if (ratio.range.high < limit) return outcome::better;
  if (ratio.range.low > limit) return outcome::worse;
  return outcome::undecided;
}

/// How many times as many rounds have an interval whose ends reach as far as they may: it shrinks with their square
/// root. Infinite where the value itself lies beyond.
double rounds_factor(double reach, double room) {
  return room > 0 ? (reach / room) * (reach / room) : std::numeric_limits<double>::infinity();
}

/// About how many rounds there must be in all for the nearest result, where the value stays as it is.
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
  if (ratio.count < trials_to_speak) return std::nullopt;
  const double rounds = rounds_in_all(ratio, limit);
  if (!(rounds < never)) return std::nullopt;
  const auto more = std::ceil(rounds) - static_cast<double>(ratio.count);
  return static_cast<std::size_t>(std::max(more, 1.0));
}

using indices = std::vector<std::size_t>;

/// Those who may win: not dropped, and measured twice where anyone was.
indices eligible(std::span<const candidate> field) {
  const bool all_dropped = std::ranges::all_of(field, [](const candidate& who) { return !who.dropped.empty(); });
  indices able;
  std::size_t most = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!all_dropped && !field[i].dropped.empty()) continue;
    able.push_back(i);
    most = std::max(most, valid_trials(field[i]));
  }
  const std::size_t enough = std::clamp<std::size_t>(most, 1, 2);
  std::erase_if(able, [&](std::size_t i) { return valid_trials(field[i]) < enough; });
  return able;
}

/// The fastest of `some`, by shared rounds: from the best median on to whoever beats it, as long as someone does.
std::size_t fastest(std::span<const candidate> field, const indices& some) {
  const auto slower = [&](std::size_t a, std::size_t b) { return seconds_per_gb(field[a]) < seconds_per_gb(field[b]); };
  std::size_t best = *std::ranges::min_element(some, slower);
  for (std::size_t step = 0; step < some.size(); ++step) {
    std::size_t better = best;
    double least = 1;
    for (const std::size_t i : some) {
      const double against = i == best ? 1 : ratio(field[i], field[best]);
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

ranked_candidate rank_entry(std::span<const candidate> field, std::size_t index, const candidate& winner,
                            std::uint64_t seed) {
  const candidate& who = field[index];
  std::vector<double> rates;
  const std::vector<const trial_result*> speaking = evidence(who);
  for (const trial_result* made : speaking) rates.push_back(1e3 / seconds_per_gb(*made));
  return {.who = index,
          .plan = who.plan,
          .size = speaking.back()->plan.size,
          .rate = estimate_median(rates, {.seed = seed}),
          .cpu_per_gb = cpu_per_gb(who),
          .to_winner = &who == &winner ? comparison{{1, {1, 1}, speaking.size()}, true, outcome::tie}
                                       : compare(who, winner, seed),
          .dropped = who.dropped};
}

verdict_state state_of(const verdict& found) {
  if (found.ranking.empty() || !found.unmeasured.empty()) return verdict_state::undecided;
  verdict_state state = verdict_state::decided;
  for (std::size_t i = 1; i < found.ranking.size(); ++i) {
    const ranked_candidate& other = found.ranking[i];
    if (surely_slower(other)) continue;
    if (other.to_winner.result != outcome::tie) return verdict_state::undecided;
    state = verdict_state::tie;
  }
  return state;
}

/// The valid trials of all, in the order in which they were made.
std::vector<const trial_result*> in_order(std::span<const candidate> field) {
  std::vector<const trial_result*> all;
  for (const candidate& who : field) {
    for (const trial_result& made : who.trials)
      if (counts(made)) all.push_back(&made);
  }
  std::ranges::stable_sort(all, {}, [](const trial_result* made) {
    return std::tuple{std::string_view{made->started}, made->round, made->position};
  });
  return all;
}

/// Trials of equal plans, which are of one size, too.
struct repetitions {
  std::vector<const trial_result*> trials;
  std::vector<double> seconds;
};

void find_outliers(const std::vector<repetitions>& kinds, std::vector<outlying_trial>& found) {
  for (const repetitions& kind : kinds) {
    const double usual = median(kind.seconds);
    for (const std::size_t i : outliers(kind.seconds)) {
      const trial_result& made = *kind.trials[i];
      found.push_back({made.plan, made.round, kind.seconds[i] / usual});
    }
  }
}

/// Adds what is odd about the trials: outliers, and whether it mattered when they were made.
void look_for_oddities(std::span<const candidate> field, verdict& found) {
  std::vector<repetitions> kinds;
  std::vector<timed> times;
  for (const trial_result* made : in_order(field)) {
    const auto same =
        std::ranges::find_if(kinds, [&](const repetitions& kind) { return kind.trials.front()->plan == made->plan; });
    const auto kind = static_cast<std::size_t>(same - kinds.begin());
    if (same == kinds.end()) kinds.emplace_back();
    kinds[kind].trials.push_back(made);
    kinds[kind].seconds.push_back(made->ranking_seconds());
    times.push_back({kind, made->position, made->ranking_seconds()});
  }
  find_outliers(kinds, found.outliers);
  found.order = find_order_effects(times);
}

}  // namespace

bool surely_slower(const ranked_candidate& who) {
  if (who.to_winner.result == outcome::worse) return true;
  // Those dropped early have too few rounds for a result; all that they have must speak against them.
  return !who.dropped.empty() && who.to_winner.ratio.range.low > 1;
}

double at_worst(const verdict& found) {
  double times = 1;
  for (const ranked_candidate& who : found.ranking) {
    const estimate& ratio = who.to_winner.ratio;
    if (ratio.count >= trials_to_speak && !surely_slower(who)) times = std::max(times, 1 / ratio.range.low);
  }
  return times;
}

bool counts(const trial_result& made) {
  return made.validity != trial_validity::invalid && made.bytes > 0 && made.ranking_seconds() > 0;
}

std::size_t valid_trials(const candidate& who) {
  return static_cast<std::size_t>(std::ranges::count_if(who.trials, counts));
}

std::vector<const trial_result*> evidence(const candidate& who) {
  std::vector<std::uint64_t> sizes;
  for (const trial_result& made : who.trials) {
    if (counts(made)) sizes.push_back(made.bytes);
  }
  const std::optional<std::uint64_t> size = speaking_size(sizes);
  std::vector<const trial_result*> speaking;
  for (const trial_result& made : who.trials) {
    if (counts(made) && (!size || made.bytes == *size)) speaking.push_back(&made);
  }
  return speaking;
}

double seconds_per_gb(const candidate& who) { return median_of(who, seconds_per_gb); }
double cpu_per_gb(const candidate& who) { return median_of(who, cpu_per_gb); }

comparison compare(const candidate& first, const candidate& second, std::uint64_t seed) {
  comparison made;
  const std::vector<pairing> pairs = shared_rounds(first, second);
  made.paired = pairs.size() >= 2;
  made.ratio = made.paired ? estimate_paired_ratio(pairs, {.seed = seed})
                           : estimate_ratio(all_seconds(first), all_seconds(second), {.seed = seed});
  const double limit = preferred_up_to(first, second);
  made.result = decide(made.ratio, limit);
  if (made.result == outcome::undecided) made.rounds_to_go = rounds_to_go(made.ratio, limit);
  return made;
}

double ratio(const candidate& first, const candidate& second) {
  const std::vector<pairing> pairs = shared_rounds(first, second);
  if (pairs.size() < 2) return seconds_per_gb(first) / seconds_per_gb(second);
  std::vector<double> ratios;
  for (const pairing& pair : pairs) ratios.push_back(pair.first / pair.second);
  return median(std::move(ratios));
}

bool simpler(const trial_plan& first, const trial_plan& second) {
  return complexity_key(first) < complexity_key(second);
}

std::size_t leader(std::span<const candidate> field, std::uint64_t seed) {
  indices able = eligible(field);
  if (able.empty()) return field.size();
  const std::size_t first = fastest(field, able);
  std::erase_if(able, [&](std::size_t i) { return i != first && ratio(field[i], field[first]) > near_enough; });
  double lowest = cpu_per_gb(field[first]);
  for (const std::size_t i : able) lowest = std::min(lowest, cpu_per_gb(field[i]));
  std::erase_if(able, [&](std::size_t i) { return !same_bill(cpu_per_gb(field[i]), lowest); });
  const std::size_t lowest_cpu = fastest(field, able);
  std::size_t best = lowest_cpu;
  for (const std::size_t i : able) {
    if (i == lowest_cpu || !simpler(field[i].plan, field[best].plan)) continue;
    if (compare(field[i], field[lowest_cpu], seed).result == outcome::tie) best = i;
  }
  return best;
}

verdict rank_candidates(io_class what, std::span<const candidate> field, std::uint64_t seed) {
  verdict found{.what = what};
  for (const candidate& who : field) {
    for (const trial_result& made : who.trials) {
      if (counts(made)) continue;
      ++found.left_out[reason_of(made)];
    }
    if (valid_trials(who) == 0 && who.dropped.empty()) found.unmeasured.push_back(who.plan);
  }
  const std::size_t winner = leader(field, seed);
  if (winner == field.size()) return found;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (valid_trials(field[i]) > 0) found.ranking.push_back(rank_entry(field, i, field[winner], seed));
  }
  const auto place = [&](const ranked_candidate& who) {
    return std::tuple{who.who != winner, !who.dropped.empty(), who.to_winner.ratio.value};
  };
  std::ranges::sort(found.ranking, std::ranges::less{}, place);
  found.state = state_of(found);
  look_for_oddities(field, found);
  return found;
}

rounds_needed rounds_to_decide_all(const verdict& found) {
  rounds_needed needed;
  for (const ranked_candidate& who : found.ranking) {
    const comparison& made = who.to_winner;
    if (made.result != outcome::undecided || surely_slower(who)) continue;
    const std::size_t least = rounds_to_decide - std::min(made.ratio.count, rounds_to_decide - 1);
    needed.at_least = needed.at_least || !made.rounds_to_go;
    needed.rounds = std::max(needed.rounds, made.rounds_to_go.value_or(least));
  }
  return needed;
}

std::string_view to_string(outcome what) {
  static constexpr std::array<std::string_view, 4> names{"better", "worse", "tie", "undecided"};
  return names.at(static_cast<std::size_t>(what));
}

std::string_view to_string(verdict_state what) {
  static constexpr std::array<std::string_view, 3> names{"decided", "tie", "undecided"};
  return names.at(static_cast<std::size_t>(what));
}

}  // namespace freshet::tool
