#include "tool/search/tuning.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>

#include "tool/base/interrupt.hpp"
#include "tool/search/significance.hpp"

namespace freshet::tool {
namespace {

constexpr double race_share = 0.85;        // of time and bytes; the rest starts programs and explains the machine
constexpr double diagnostics_seconds = 9;  // at most
constexpr std::size_t programs_between_classes = 2;  // of `none`, so that they are spread over the time
constexpr double share_for_durable_programs = 0.05;  // of the time, for those of a class other than `none`
constexpr std::uint64_t least_program_size = std::uint64_t{64} << 20;
constexpr unsigned reading_trials = 20;  // that the time of a class should allow
constexpr std::uint64_t quick_trial_size = std::uint64_t{256} << 20;
constexpr std::uint64_t share_for_one = 8;  // a single file may take one part in so many of all bytes
constexpr std::uint64_t least_reading_size = std::uint64_t{16} << 20;
constexpr unsigned order_rounds = rounds_to_decide;
constexpr unsigned unordered_depth = 4;

// The source, with a log of what was written and how fast.
trial_source logged(const trial_source& source, std::vector<sustained_rate>& log, double& bytes) {
  trial_source watched = source;
  watched.run = [&source, &log, &bytes](const trial_plan& plan) {
    const double before = bytes;
    const bool writes = !reads(plan.measured_class);
    if (writes) bytes += static_cast<double>(plan.size) * plan.jobs;
    trial_result trial = source.run(plan);
    if (!writes) bytes += static_cast<double>(trial.bytes_written);
    if (writes && trial.is_usable())
      log.push_back({plan, before, static_cast<double>(trial.bytes) / trial.seconds_to_disk});
    return trial;
  };
  return watched;
}

// For the report, not for the races: the speed of the simplest page cache method with either state of memory.
std::vector<candidate> measure_memory(const tune_setup& setup, const trial_source& source, budget& left) {
  const auto through_cache = std::ranges::find_if_not(
      setup.seeds, [&](const trial_plan& seed) { return setup.past_cache.contains(seed.method); });
  if (through_cache == setup.seeds.end()) return {};
  trial_plan rested = *through_cache;
  rested.size = std::min(setup.size, quick_trial_size);
  trial_plan reused = rested;
  reused.memory = memory_state::recycled;
  std::vector<candidate> candidates{{.plan = rested}, {.plan = reused}};
  round_runner rounds{source, left, setup.seed};
  std::ignore = rounds.run_round(candidates, {0}, rested.size) && rounds.run_round(candidates, {1}, rested.size);
  std::erase_if(candidates, [](const candidate& each) { return each.trials.empty(); });
  return candidates;
}

// The plan, the plan without order and as deep as that allows, and that with the size set ahead as well.
std::vector<candidate> without_order(const trial_plan& ordered) {
  trial_plan free = ordered;
  free.ordered = false;
  free.depth = std::max(ordered.depth, unordered_depth);
  trial_plan ahead = free;
  ahead.size_ahead = true;
  return {{.plan = ordered}, {.plan = free}, {.plan = ahead}};
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

// Gives each method's seed the block and the depth that were best for it.
void use_best_blocks(std::vector<trial_plan>& seeds, std::span<const candidate> candidates) {
  for (trial_plan& seed : seeds) {
    const candidate* best = nullptr;
    for (const candidate& entry : candidates) {
      if (entry.plan.method != seed.method || count_usable(entry) < 2) continue;
      if (best == nullptr || seconds_ratio(entry, *best) < 1) best = &entry;
    }
    if (best == nullptr) continue;
    seed.block = best->plan.block;
    seed.depth = best->plan.depth;
  }
}

bool is_writing(io_class measured_class) { return !reads(measured_class); }

// Those that write durably are fewer, because most programs do not.
std::size_t programs_wanted(io_class measured_class) { return measured_class == io_class::none ? 10 : 3; }

// The shares of the time: what most people do gets most, `none` and `cold` 70 % of the time of all five.
double weight(io_class measured_class) {
  constexpr std::array weights{4.0, 1.0, 1.0, 3.0, 1.0};
  return weights.at(static_cast<std::size_t>(measured_class));
}
double weight(std::span<const io_class> classes) {
  return std::transform_reduce(classes.begin(), classes.end(), 0.0, std::plus{},
                               [](io_class measured_class) { return weight(measured_class); });
}

// The races of one kind of work, writing or reading, and what is known for them so far.
struct kind_of_work {
  std::vector<trial_plan> seeds;
  std::uint64_t size = 0;    // bytes per file; 0: it does not fit the budget
  std::uint64_t bytes = 0;   // left for its races
  trial_cost expected = {};  // of a trial
};

class tuner {
 public:
  tuner(const tune_setup& setup, const trial_source& source);
  tuner(const tuner&) = delete;
  tuner& operator=(const tuner&) = delete;
  ~tuner() = default;

  tuning run();

 private:
  class_result run_first(std::span<const io_class> classes);
  class_result find_best(const kind_of_work& work, io_class measured_class, budget& left);
  void warm_up(kind_of_work& work, io_class measured_class);
  void run_programs(class_result& of, std::size_t most);
  [[nodiscard]] std::uint64_t program_size(const class_result& of) const;
  [[nodiscard]] std::uint64_t reading_size(std::uint64_t most) const;
  [[nodiscard]] double class_deadline(std::span<const io_class> classes) const;

  const tune_setup& setup_;
  tuning result_;
  std::vector<sustained_rate> log_;
  double bytes_ = 0;
  trial_source source_;
  double start_;
  budget all_;
  double races_until_;
  double program_overhead_ = 0;  // seconds that the last program took beyond the time of its files
  kind_of_work writing_;
  kind_of_work reading_;
};

tuner::tuner(const tune_setup& setup, const trial_source& source)
    : setup_{setup},
      source_{logged(source, log_, bytes_)},
      start_{source.now()},
      all_{.until = start_ + setup.seconds, .bytes = setup.bytes},
      races_until_{all_.until - std::min(diagnostics_seconds, (1 - race_share) * setup.seconds)},
      writing_{.seeds = setup.seeds, .size = setup.size},
      reading_{.seeds = setup.reading_seeds, .bytes = setup.bytes} {}

tuning tuner::run() {
  const std::span<const io_class> classes{setup_.classes};
  const bool writes = std::ranges::any_of(classes, is_writing);
  if (writes && std::min(setup_.size, quick_trial_size) <= all_.bytes / share_for_one)
    warm_up(writing_, io_class::none);
  log_.clear();  // the first trial is always slow: that is no slowdown
  if (std::ranges::any_of(classes, reads))
    reading_.size = reading_size(writes ? all_.bytes / share_for_one : all_.bytes);
  writing_.bytes = static_cast<std::uint64_t>(race_share * static_cast<double>(all_.bytes - reading_.size));
  for (std::size_t i = 0; i < classes.size() && !result_.interrupted; ++i) {
    result_.classes.push_back(run_first(classes.subspan(i)));
    result_.interrupted = result_.classes.back().end == race_end::interrupted;
    for (class_result& each : result_.classes)
      if (each.verdict.measured_class == io_class::none) run_programs(each, programs_between_classes);
  }
  for (class_result& each : result_.classes)
    if (is_writing(each.verdict.measured_class)) run_programs(each, programs_wanted(each.verdict.measured_class));
  for (class_result& each : result_.classes)
    if (!each.programs.empty())
      each.next_file = predict_next_file(each.programs, each.candidates[each.verdict.ranking.front().index]);
  if (writes && !result_.interrupted) {
    trial_source diagnosing = source_;
    if (source_.keep)
      diagnosing.keep = [&](const trial_result& trial, trial_purpose) {
        source_.keep(trial, trial_purpose::diagnosis);
      };
    result_.memory = measure_memory(setup_, diagnosing, all_);
    result_.order_costs = measure_order_costs(setup_, result_.classes, diagnosing, all_);
  }
  result_.slowed = measure_slowdown(log_);
  result_.bytes_written = static_cast<std::uint64_t>(bytes_);
  result_.seconds = source_.now() - start_;
  return std::move(result_);
}

// Starts up to `most` programs that write by the pick of the class, as long as there is time.
void tuner::run_programs(class_result& of, std::size_t most) {
  if (!source_.run_program || of.verdict.ranking.empty()) return;
  trial_plan plan = of.verdict.ranking.front().plan;
  plan.size = program_size(of);
  const double expected = 2 * static_cast<double>(plan.size) / 1e6 / of.verdict.ranking.front().rate.value;
  for (; most > 0 && of.programs.size() < programs_wanted(plan.measured_class); --most) {
    const double before = source_.now();
    if (plan.size == 0 || result_.interrupted || 2 * plan.size > all_.bytes) return;
    if (before + program_overhead_ + expected > all_.until) return;
    if (source_.show) source_.show({plan, nullptr, all_.until - before});
    try {
      of.programs.push_back(source_.run_program(plan));
    } catch (const interrupted&) {
      result_.interrupted = true;
      return;
    }
    const program_files& files = of.programs.back();
    for (const trial_result* file : {&files.first, &files.later})
      if (source_.keep) source_.keep(*file, trial_purpose::program);
    all_.bytes -= 2 * plan.size;
    bytes_ += 2 * static_cast<double>(plan.size);
    program_overhead_ = std::max(0.0, source_.now() - before - expected);
  }
}

// Programs that write durably must not take too much of the time; 0 if even small files of theirs do.
std::uint64_t tuner::program_size(const class_result& of) const {
  const io_class measured_class = of.verdict.measured_class;
  std::uint64_t size = std::min(setup_.size, quick_trial_size);
  if (measured_class == io_class::none) return size;
  const double bytes_per_second = 1e6 * of.verdict.ranking.front().rate.value;
  const double most = share_for_durable_programs * setup_.seconds * bytes_per_second;
  const auto takes_too_long = [&] { return static_cast<double>(2 * programs_wanted(measured_class) * size) > most; };
  while (takes_too_long() && size / 2 >= least_program_size) size /= 2;
  return takes_too_long() ? 0 : size;
}

// The first trial finds the disk as other programs left it, and the first that reads has to write its file. Measures
// how long a byte takes, bypassing the page cache if any method can.
void tuner::warm_up(kind_of_work& work, io_class measured_class) {
  const auto past_cache =
      std::ranges::find_if(work.seeds, [&](const trial_plan& seed) { return setup_.past_cache.contains(seed.method); });
  trial_plan plan = past_cache == work.seeds.end() ? work.seeds.front() : *past_cache;
  plan.measured_class = measured_class;
  plan.size = std::min(work.size, quick_trial_size);
  all_.bytes -= plan.size;
  if (source_.show) source_.show({plan, nullptr, all_.until - source_.now()});
  const double before = source_.now();
  result_.warm_up.push_back(source_.run(plan));
  if (source_.keep) source_.keep(result_.warm_up.back(), trial_purpose::warm_up);
  const double seconds = result_.warm_up.back().seconds_to_disk;
  work.expected = {seconds / static_cast<double>(plan.size), std::max(0.0, source_.now() - before - seconds)};
}

// The largest size that leaves time for enough trials, judging by how fast the disk is written to; 0 if that is more
// than `most`. The size of a file matters to the speed of writing it, but hardly to that of reading it.
std::uint64_t tuner::reading_size(std::uint64_t most) const {
  const double seconds = (races_until_ - source_.now()) * weight(io_class::warm) / weight(setup_.classes);
  std::uint64_t size = std::min(setup_.size, quick_trial_size);
  const auto takes_too_long = [&] {
    return reading_trials * writing_.expected.seconds_per_byte * static_cast<double>(size) > seconds;
  };
  while (size / 2 >= least_reading_size && (size > most || takes_too_long())) size /= 2;
  return size <= most ? size : 0;
}

// When the first of these classes has to end.
double tuner::class_deadline(std::span<const io_class> classes) const {
  const double now = source_.now();
  return now + (races_until_ - now) * weight(classes.front()) / weight(classes);
}

class_result tuner::run_first(std::span<const io_class> classes) {
  const io_class measured_class = classes.front();
  const bool reading = reads(measured_class);
  kind_of_work& work = reading ? reading_ : writing_;
  if (work.size == 0) return {.verdict = {.measured_class = measured_class}, .candidates = {}, .end = race_end::bytes};
  if (reading && work.expected.seconds_per_byte == 0) warm_up(work, measured_class);
  const auto of_its_kind = std::ranges::count(classes, reading, reads);
  const std::uint64_t bytes = work.bytes / static_cast<std::uint64_t>(of_its_kind);
  budget left{.until = class_deadline(classes), .bytes = bytes};
  class_result each = find_best(work, measured_class, left);
  work.bytes -= bytes - left.bytes;
  if (!reading) all_.bytes -= bytes - left.bytes;
  use_best_blocks(work.seeds, each.candidates);
  return each;
}

class_result tuner::find_best(const kind_of_work& work, io_class measured_class, budget& left) {
  race_setup race_of_class{.measured_class = measured_class, .size = work.size, .seed = setup_.seed};
  // All trials that read use files of one size.
  race_of_class.least_size = reads(measured_class) ? work.size : std::min(race_of_class.least_size, work.size);
  race_of_class.expected = work.expected;
  race_of_class.past_cache = setup_.past_cache;
  race_of_class.negligible_share = setup_.negligible_share;
  if (measured_class == io_class::none) race_of_class.baselines = setup_.baselines;
  std::vector<trial_plan> seeds = work.seeds;
  std::ranges::copy_if(setup_.known, std::back_inserter(seeds),
                       [&](const trial_plan& plan) { return plan.measured_class == measured_class; });
  race_result raced = race(race_of_class, seeds, source_, left);
  class_result result;
  result.verdict = rank_candidates(measured_class, raced.candidates, setup_.negligible_share);
  result.end = raced.end;
  result.candidates = std::move(raced.candidates);
  return result;
}

}  // namespace

slowdown measure_slowdown(std::span<const sustained_rate> trials) {
  if (trials.empty()) return {};
  const double third = trials.back().bytes_before / 3;
  std::vector<trial_plan> plans;
  std::vector<sample_pair> rates;
  for (const sustained_rate& one : trials) {
    const auto same = std::ranges::find(plans, one.plan);
    const auto index = static_cast<std::size_t>(same - plans.begin());
    if (same == plans.end()) {
      plans.push_back(one.plan);
      rates.emplace_back();
    }
    if (one.bytes_before < third) rates[index].earlier.push_back(one.bytes_per_second);
    if (one.bytes_before > 2 * third) rates[index].later.push_back(one.bytes_per_second);
  }
  const change effect = common_change(rates);
  return {1 - effect.ratio, effect.significance};
}

tuning tune(const tune_setup& setup, const trial_source& source) { return tuner{setup, source}.run(); }

}  // namespace freshet::tool
