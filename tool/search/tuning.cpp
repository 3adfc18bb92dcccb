#include "search/tuning.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace freshet::tool {

namespace {

constexpr double race_share = 0.9;   // of time and bytes; the rest shows what order costs and what memory does
constexpr double looks_seconds = 5;  // at most
constexpr std::uint64_t quick_size = std::uint64_t{256} << 20;
constexpr unsigned order_rounds = 4;
constexpr unsigned unordered_depth = 4;

/// The course, with a log of what was written and how fast.
course logged(const course& on, std::vector<sustained>& log, double& bytes) {
  course watched = on;
  watched.run = [&on, &log, &bytes](const trial_plan& plan) {
    const double before = bytes;
    bytes += static_cast<double>(plan.size) * plan.jobs;
    trial made = on.run(plan);
    if (counts(made)) log.push_back({plan, before, static_cast<double>(made.bytes) / made.seconds_to_disk});
    return made;
  };
  return watched;
}

/// The first trial finds the disk as others left it. Returns the seconds that a byte takes, past the page cache where
/// there is a way; 0 where too few bytes may be written for that.
double warm_up(const tune_setup& setup, const course& on, allowance& left, tuning& result) {
  const auto past_cache =
      std::ranges::find_if(setup.seeds, [&](const trial_plan& seed) { return setup.past_cache.contains(seed.method); });
  trial_plan plan = past_cache == setup.seeds.end() ? setup.seeds.front() : *past_cache;
  plan.size = std::min(setup.size, quick_size);
  if (plan.size > left.bytes / 8) return 0;
  left.bytes -= plan.size;
  if (on.show) on.show({plan, nullptr, left.until - on.now()});
  result.warm_up = on.run(plan);
  return result.warm_up->seconds_to_disk / static_cast<double>(plan.size);
}

/// For the reader, not for the races: what the simplest page cache method takes on either kind of memory.
std::vector<contestant> measure_memory(const tune_setup& setup, const course& on, allowance& left) {
  const auto through_cache = std::ranges::find_if_not(
      setup.seeds, [&](const trial_plan& seed) { return setup.past_cache.contains(seed.method); });
  if (through_cache == setup.seeds.end()) return {};
  trial_plan rested = *through_cache;
  rested.size = std::min(setup.size, quick_size);
  trial_plan reused = rested;
  reused.memory = memory_state::reused;
  std::vector<contestant> field{{.plan = rested}, {.plan = reused}};
  track rounds{on, left, setup.seed};
  const bool both = rounds.run_round(field, {0}, rested.size) && rounds.run_round(field, {1}, rested.size);
  return both ? field : std::vector<contestant>{};
}

/// Without order, as deep as it may be then; and with the size set ahead, too.
std::vector<contestant> without_order(const trial_plan& ordered) {
  trial_plan free = ordered;
  free.ordered = false;
  free.depth = std::max(ordered.depth, unordered_depth);
  trial_plan ahead = free;
  ahead.size_ahead = true;
  return {{.plan = ordered}, {.plan = free}, {.plan = ahead}};
}

std::vector<contestant> measure_order_costs(const tune_setup& setup, std::span<const class_result> classes,
                                            const course& on, allowance& left) {
  for (const class_result& made : classes) {
    const auto queued = std::ranges::find_if(
        made.found.ranking, [&](const standing& who) { return setup.asynchronous.contains(who.plan.method); });
    if (queued == made.found.ranking.end()) continue;
    std::vector<contestant> field = without_order(queued->plan);
    std::vector<std::size_t> all(field.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    track rounds{on, left, setup.seed, 1e-6 / queued->rate.value};
    for (unsigned round = 0; round < order_rounds; ++round) {
      if (!rounds.run_round(field, all, queued->size)) break;
    }
    return field;
  }
  return {};
}

/// Each method's seed gets the block that was best for it.
void learn(std::vector<trial_plan>& seeds, std::span<const contestant> field) {
  for (trial_plan& seed : seeds) {
    const contestant* best = nullptr;
    for (const contestant& who : field) {
      if (who.plan.method != seed.method || valid_trials(who) < 2) continue;
      if (best == nullptr || ratio(who, *best) < 1) best = &who;
    }
    if (best != nullptr) seed.block = best->plan.block;
  }
}

/// Without those that cannot win where the disk has to have everything, for they take much longer merely to hand it
/// over than the best takes until the disk has it.
std::vector<trial_plan> without_the_hopeless(const std::vector<trial_plan>& seeds, std::span<const contestant> field) {
  constexpr double hopeless = 1.5;
  const auto seconds = [](const contestant& who, double trial::*clock) {
    std::vector<double> per_byte;
    for (const trial& made : who.trials)
      if (counts(made)) per_byte.push_back(made.*clock / static_cast<double>(made.bytes));
    return median(std::move(per_byte));
  };
  double best = std::numeric_limits<double>::infinity();
  for (const contestant& who : field)
    if (valid_trials(who) > 1) best = std::min(best, seconds(who, &trial::seconds_to_disk));
  std::vector<trial_plan> left = seeds;
  std::erase_if(left, [&](const trial_plan& seed) {
    const auto same = [&](const contestant& who) { return who.plan.method == seed.method && valid_trials(who) > 0; };
    return std::ranges::any_of(field, same) && std::ranges::all_of(field, [&](const contestant& who) {
             return !same(who) || seconds(who, &trial::seconds_to_close) > hopeless * best;
           });
  });
  return left;
}

class_result find_best(const tune_setup& setup, std::span<const trial_plan> seeds, freshet::durability durability,
                       double seconds_per_byte, const course& on, allowance& left) {
  race_setup where{.durability = durability, .size = setup.size, .seed = setup.seed};
  where.least_size = std::min(where.least_size, setup.size);
  where.seconds_per_byte = seconds_per_byte;
  where.past_cache = setup.past_cache;
  race_result raced = race(where, seeds, on, left);
  class_result result;
  result.found = judge(durability, raced.field, setup.seed);
  result.end = raced.end;
  result.field = std::move(raced.field);
  return result;
}

}  // namespace

slowdown slowdown_of(std::span<const sustained> trials) {
  if (trials.empty()) return {};
  const double third = trials.back().bytes_before / 3;
  std::vector<trial_plan> plans;
  std::vector<then_and_now> rates;
  for (const sustained& one : trials) {
    const auto same = std::ranges::find(plans, one.plan);
    const auto index = static_cast<std::size_t>(same - plans.begin());
    if (same == plans.end()) {
      plans.push_back(one.plan);
      rates.emplace_back();
    }
    if (one.bytes_before < third) rates[index].earlier.push_back(one.bytes_per_second);
    if (one.bytes_before > 2 * third) rates[index].later.push_back(one.bytes_per_second);
  }
  const change found = common_change(rates);
  return {1 - found.ratio, found.significance};
}

tuning tune(const tune_setup& setup, const course& on) {
  tuning result;
  std::vector<sustained> log;
  double bytes = 0;
  const course watched = logged(on, log, bytes);
  const double start = on.now();
  allowance all{.until = start + setup.seconds, .bytes = setup.bytes};
  const double seconds_per_byte = warm_up(setup, watched, all, result);
  log.clear();  // what the warm-up was for is no slowdown
  std::vector<trial_plan> seeds = setup.seeds;
  const double races_until = all.until - std::min(looks_seconds, (1 - race_share) * setup.seconds);
  auto bytes_for_races = static_cast<std::uint64_t>(race_share * static_cast<double>(all.bytes));
  for (std::size_t i = 0; i < setup.durabilities.size(); ++i) {
    const std::size_t classes_left = setup.durabilities.size() - i;
    const double now = on.now();
    const std::uint64_t bytes_for_it = bytes_for_races / classes_left;
    allowance left{.until = now + (races_until - now) / static_cast<double>(classes_left), .bytes = bytes_for_it};
    result.classes.push_back(find_best(setup, seeds, setup.durabilities[i], seconds_per_byte, watched, left));
    bytes_for_races -= bytes_for_it - left.bytes;
    all.bytes -= bytes_for_it - left.bytes;
    learn(seeds, result.classes.back().field);
    // The other way round it does not hold: what is slow when each block is synced may be fast when none is.
    if (setup.durabilities[i] == durability::none) seeds = without_the_hopeless(seeds, result.classes.back().field);
  }
  result.memory = measure_memory(setup, watched, all);
  result.order_costs = measure_order_costs(setup, result.classes, watched, all);
  result.slowed = slowdown_of(log);
  result.bytes_written = static_cast<std::uint64_t>(bytes);
  result.seconds = on.now() - start;
  return result;
}

}  // namespace freshet::tool
