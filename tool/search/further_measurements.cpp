#include "tool/search/further_measurements.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace freshet::tool {
namespace {

constexpr double share_for_durable_programs = 0.05;  // of the time, for those of a class other than `none`
constexpr std::uint64_t largest_program_size = std::uint64_t{256} << 20;
constexpr std::uint64_t least_program_size = std::uint64_t{64} << 20;
constexpr std::uint64_t memory_size = std::uint64_t{256} << 20;
constexpr double seconds_to_rest = 3;  // that it may take to bring memory to rest before a trial
constexpr unsigned order_rounds = rounds_to_decide;
constexpr unsigned unordered_depth = 4;

// The plan, the plan without order and as deep as that allows, and that with the size set ahead as well.
std::vector<candidate> without_order(const trial_plan& ordered) {
  trial_plan free = ordered;
  free.ordered = false;
  free.depth = std::max(ordered.depth, unordered_depth);
  trial_plan ahead = free;
  ahead.size_ahead = true;
  return {{.plan = ordered}, {.plan = free}, {.plan = ahead}};
}

// Those that write durably are fewer, because most programs do not.
std::size_t programs_wanted(io_class measured_class) { return measured_class == io_class::none ? 10 : 3; }

// Programs that write durably must not take too much of the time; 0 if even small files of theirs do.
std::uint64_t program_size(const ranked_candidate& way, const tune_setup& setup) {
  std::uint64_t size = std::min(setup.size, largest_program_size);
  const io_class measured_class = way.plan.measured_class;
  if (measured_class == io_class::none) return size;
  const double most = share_for_durable_programs * setup.seconds * 1e6 * way.rate.value;
  const auto takes_too_long = [&] { return static_cast<double>(2 * programs_wanted(measured_class) * size) > most; };
  while (takes_too_long() && size / 2 >= least_program_size) size /= 2;
  return takes_too_long() ? 0 : size;
}

}  // namespace

std::optional<answered_question> try_other_blocks(const class_result& of, const tune_setup& setup,
                                                  const trial_source& source, budget& left) {
  const class_answer answer = find_answer(of);
  if (answer.what != advice::profile && answer.what != advice::code) return {};
  const ranked_candidate& way = answer.way();
  race_setup around{.measured_class = way.plan.measured_class, .size = way.size, .seed = setup.seed};
  around.least_size = reads(around.measured_class) ? way.size : std::min(around.least_size, way.size);
  around.expected.seconds_per_byte = 1e-6 / way.rate.value;
  around.past_cache = setup.past_cache;
  around.negligible_share = setup.negligible_share;
  race_result raced = race(around, std::vector{way.plan}, source, left);
  answered_question refined{.verdict = rank_candidates(around.measured_class, raced.candidates, setup.negligible_share),
                            .candidates = {},
                            .end = raced.end};
  refined.candidates = std::move(raced.candidates);
  return refined;
}

void forecast(class_result& of, const tune_setup& setup, const trial_source& source, budget& left) {
  const class_answer answer = find_answer(of);
  if (!source.run_program || answer.what == advice::none || reads(of.verdict.measured_class)) return;
  const ranked_candidate& way = answer.recommended();
  trial_plan plan = way.plan;
  plan.size = program_size(way, setup);
  const std::uint64_t bytes = 2 * plan.size;
  const double expected = static_cast<double>(bytes) / 1e6 / way.rate.value;
  double overhead = 0;  // seconds that the last program took beyond the time of its files
  while (of.programs.size() < programs_wanted(plan.measured_class)) {
    const double before = source.now();
    if (bytes == 0 || bytes > left.bytes || before + overhead + expected > left.until) break;
    if (source.show) source.show({plan, nullptr, left.until - before});
    of.programs.push_back(source.run_program(plan));
    const program_files& files = of.programs.back();
    for (const trial_result* file : {&files.first, &files.later})
      if (source.keep) source.keep(*file, trial_purpose::program);
    left.bytes -= bytes;
    overhead = std::max(0.0, source.now() - before - expected);
  }
  if (!of.programs.empty()) of.next_file = predict_next_file(of.programs, of.candidates[way.index]);
}

std::vector<candidate> measure_memory(const tune_setup& setup, const trial_source& source, budget& left) {
  const auto through_cache = std::ranges::find_if(setup.seeds, [&](const trial_plan& seed) {
    return !setup.past_cache.contains(seed.method) && !changes_method(seed);
  });
  if (through_cache == setup.seeds.end()) return {};
  trial_plan rested = *through_cache;
  rested.size = std::min(setup.size, memory_size);
  rested.memory = memory_state::unbacked;
  trial_plan reused = rested;
  reused.memory = memory_state::recycled;
  std::vector<candidate> candidates{{.plan = rested}, {.plan = reused}};
  round_runner rounds{source, left, setup.seed, {.seconds_per_byte = 1e-9, .overhead_seconds = seconds_to_rest}};
  std::ignore = rounds.run_round(candidates, {0}, rested.size) && rounds.run_round(candidates, {1}, rested.size);
  std::erase_if(candidates, [](const candidate& each) { return each.trials.empty(); });
  return candidates;
}

std::vector<candidate> measure_order_costs(const tune_setup& setup, std::span<const class_result> classes,
                                           const trial_source& source, budget& left) {
  for (const class_result& each : classes) {
    if (reads(each.verdict.measured_class)) continue;
    const auto queued = std::ranges::find_if(each.verdict.ranking, [&](const ranked_candidate& ranked) {
      return setup.asynchronous.contains(ranked.plan.method);
    });
    if (queued == each.verdict.ranking.end()) continue;
    std::vector<candidate> candidates = without_order(queued->plan);
    std::vector<std::size_t> all(candidates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    round_runner rounds{source, left, setup.seed, {.seconds_per_byte = 1e-6 / queued->rate.value}};
    for (unsigned round = 0; round < order_rounds; ++round)
      if (!rounds.run_round(candidates, all, queued->size)) break;
    return candidates;
  }
  return {};
}

}  // namespace freshet::tool
