#include "tool/search/tuning.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "tool/search/significance.hpp"

namespace freshet::tool {

namespace {

constexpr double race_share = 0.9;         // of time and bytes; the rest shows what order costs and what memory does
constexpr double diagnostics_seconds = 5;  // at most
constexpr double none_share = 2;           // of the time that another class of writing gets
constexpr double reading_share = 0.5;      // of the same
constexpr unsigned reading_trials = 20;    // that the time of a class is to suffice for
constexpr std::uint64_t quick_trial_size = std::uint64_t{256} << 20;
constexpr std::uint64_t share_for_one = 8;  // a single file may take one in so many of all bytes
constexpr std::uint64_t least_reading_size = std::uint64_t{16} << 20;
constexpr unsigned order_rounds = 4;
constexpr unsigned unordered_depth = 4;

/// The course, with a log of what was written and how fast.
trial_source logged(const trial_source& on, std::vector<sustained>& log, double& bytes) {
  trial_source watched = on;
  watched.run = [&on, &log, &bytes](const trial_plan& plan) {
    const double before = bytes;
    const bool writes = !reads(plan.what);
    if (writes) bytes += static_cast<double>(plan.size) * plan.jobs;
    trial_result made = on.run(plan);
    if (!writes) bytes += static_cast<double>(made.bytes_written);
    if (writes && counts(made)) log.push_back({plan, before, static_cast<double>(made.bytes) / made.seconds_to_disk});
    return made;
  };
  return watched;
}

/// For people, not for the races: what the simplest page cache method takes on either kind of memory.
std::vector<candidate> measure_memory(const tune_setup& setup, const trial_source& on, budget& left) {
  const auto through_cache = std::ranges::find_if_not(
      setup.seeds, [&](const trial_plan& seed) { return setup.past_cache.contains(seed.method); });
  if (through_cache == setup.seeds.end()) return {};
  trial_plan rested = *through_cache;
  rested.size = std::min(setup.size, quick_trial_size);
  trial_plan reused = rested;
  reused.memory = memory_state::reused;
  std::vector<candidate> field{{.plan = rested}, {.plan = reused}};
  round_runner rounds{on, left, setup.seed};
  const bool both = rounds.run_round(field, {0}, rested.size) && rounds.run_round(field, {1}, rested.size);
  return both ? field : std::vector<candidate>{};
}

/// Without order, as deep as it may be then; and with the size set ahead, too.
std::vector<candidate> without_order(const trial_plan& ordered) {
  trial_plan free = ordered;
  free.ordered = false;
  free.depth = std::max(ordered.depth, unordered_depth);
  trial_plan ahead = free;
  ahead.size_ahead = true;
  return {{.plan = ordered}, {.plan = free}, {.plan = ahead}};
}

std::vector<candidate> measure_order_costs(const tune_setup& setup, std::span<const class_result> classes,
                                           const trial_source& on, budget& left) {
  for (const class_result& made : classes) {
    if (reads(made.found.what)) continue;
    const auto queued = std::ranges::find_if(
        made.found.ranking, [&](const ranked_candidate& who) { return setup.asynchronous.contains(who.plan.method); });
    if (queued == made.found.ranking.end()) continue;
    std::vector<candidate> field = without_order(queued->plan);
    std::vector<std::size_t> all(field.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    round_runner rounds{on, left, setup.seed, 1e-6 / queued->rate.value};
    for (unsigned round = 0; round < order_rounds; ++round) {
      if (!rounds.run_round(field, all, queued->size)) break;
    }
    return field;
  }
  return {};
}

/// Each method's seed gets the block and the depth that were best for it.
void learn(std::vector<trial_plan>& seeds, std::span<const candidate> field) {
  for (trial_plan& seed : seeds) {
    const candidate* best = nullptr;
    for (const candidate& who : field) {
      if (who.plan.method != seed.method || valid_trials(who) < 2) continue;
      if (best == nullptr || ratio(who, *best) < 1) best = &who;
    }
    if (best == nullptr) continue;
    seed.block = best->plan.block;
    seed.depth = best->plan.depth;
  }
}

/// Without those that cannot win where the disk has to have everything, for they take much longer merely to hand it
/// over than the best takes until the disk has it.
std::vector<trial_plan> drop_dominated(const std::vector<trial_plan>& seeds, std::span<const candidate> field) {
  constexpr double hopeless = 1.5;
  const auto seconds = [](const candidate& who, double trial_result::*clock) {
    std::vector<double> per_byte;
    for (const trial_result& made : who.trials)
      if (counts(made)) per_byte.push_back(made.*clock / static_cast<double>(made.bytes));
    return median(std::move(per_byte));
  };
  double best = std::numeric_limits<double>::infinity();
  for (const candidate& who : field)
    if (valid_trials(who) > 1) best = std::min(best, seconds(who, &trial_result::seconds_to_disk));
  std::vector<trial_plan> left = seeds;
  std::erase_if(left, [&](const trial_plan& seed) {
    const auto same = [&](const candidate& who) { return who.plan.method == seed.method && valid_trials(who) > 0; };
    return std::ranges::any_of(field, same) && std::ranges::all_of(field, [&](const candidate& who) {
             return !same(who) || seconds(who, &trial_result::seconds_to_close) > hopeless * best;
           });
  });
  return left;
}

bool is_writing(io_class what) { return !reads(what); }

/// What the time is shared out by. `none` has most candidates that are alike, and each of its trials in the page cache
/// waits until memory is at rest.
double weight(io_class what) { return what == io_class::none ? none_share : reads(what) ? reading_share : 1; }
double weight(std::span<const io_class> classes) {
  return std::transform_reduce(classes.begin(), classes.end(), 0.0, std::plus{},
                               [](io_class what) { return weight(what); });
}

/// The races of one kind of work, writing or reading, and what was learnt for them so far.
struct kind_of_work {
  std::vector<trial_plan> seeds;
  std::uint64_t size = 0;       ///< bytes per file
  double seconds_per_byte = 0;  ///< that a trial probably takes; 0: not known
};

class tuner {
 public:
  tuner(const tune_setup& setup, const trial_source& on);
  tuner(const tuner&) = delete;
  tuner& operator=(const tuner&) = delete;
  ~tuner() = default;

  tuning run();

 private:
  class_result write(std::span<const io_class> classes);
  class_result read(std::span<const io_class> classes);
  class_result find_best(const kind_of_work& work, io_class what, budget& left);
  void warm_up(kind_of_work& work, io_class what);
  [[nodiscard]] std::uint64_t reading_size(std::uint64_t most) const;
  [[nodiscard]] double end_of_first(std::span<const io_class> classes) const;

  const tune_setup& setup_;
  tuning result_;
  std::vector<sustained> log_;
  double bytes_ = 0;
  trial_source on_;
  double start_;
  budget all_;
  double races_until_;
  std::uint64_t bytes_for_writing_ = 0;  // in the races
  std::uint64_t bytes_for_reading_;
  kind_of_work writing_;
  kind_of_work reading_;
};

tuner::tuner(const tune_setup& setup, const trial_source& on)
    : setup_{setup},
      on_{logged(on, log_, bytes_)},
      start_{on.now()},
      all_{.until = start_ + setup.seconds, .bytes = setup.bytes},
      races_until_{all_.until - std::min(diagnostics_seconds, (1 - race_share) * setup.seconds)},
      bytes_for_reading_{setup.bytes},
      writing_{setup.seeds, setup.size},
      reading_{setup.reading_seeds} {}

tuning tuner::run() {
  const std::span<const io_class> classes{setup_.classes};
  const bool writes = std::ranges::any_of(classes, is_writing);
  if (writes && std::min(setup_.size, quick_trial_size) <= all_.bytes / share_for_one)
    warm_up(writing_, io_class::none);
  log_.clear();  // what the warm-up was for is no slowdown
  if (std::ranges::any_of(classes, reads))
    reading_.size = reading_size(writes ? all_.bytes / share_for_one : all_.bytes);
  bytes_for_writing_ = static_cast<std::uint64_t>(race_share * static_cast<double>(all_.bytes - reading_.size));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto left = classes.subspan(i);
    result_.classes.push_back(reads(left.front()) ? read(left) : write(left));
  }
  if (writes) {
    result_.memory = measure_memory(setup_, on_, all_);
    result_.order_costs = measure_order_costs(setup_, result_.classes, on_, all_);
  }
  result_.slowed = slowdown_of(log_);
  result_.bytes_written = static_cast<std::uint64_t>(bytes_);
  result_.seconds = on_.now() - start_;
  return std::move(result_);
}

/// The first trial finds the disk as others left it, and the first that reads has to write its file. Says how long a
/// byte takes, past the page cache where there is a way.
void tuner::warm_up(kind_of_work& work, io_class what) {
  const auto past_cache =
      std::ranges::find_if(work.seeds, [&](const trial_plan& seed) { return setup_.past_cache.contains(seed.method); });
  trial_plan plan = past_cache == work.seeds.end() ? work.seeds.front() : *past_cache;
  plan.what = what;
  plan.size = std::min(work.size, quick_trial_size);
  all_.bytes -= plan.size;
  if (on_.show) on_.show({plan, nullptr, all_.until - on_.now()});
  result_.warm_up.push_back(on_.run(plan));
  if (on_.keep) on_.keep(result_.warm_up.back(), false);
  work.seconds_per_byte = result_.warm_up.back().seconds_to_disk / static_cast<double>(plan.size);
}

/// As large as leaves time for enough trials, going by how fast the disk is written to; 0 where that is more than
/// `most`. How large a file is hardly matters to the speed of reading it, as it does to that of writing.
std::uint64_t tuner::reading_size(std::uint64_t most) const {
  const double seconds = (races_until_ - on_.now()) * reading_share / weight(setup_.classes);
  std::uint64_t size = std::min(setup_.size, quick_trial_size);
  const auto takes_too_long = [&] {
    return reading_trials * writing_.seconds_per_byte * static_cast<double>(size) > seconds;
  };
  while (size / 2 >= least_reading_size && (size > most || takes_too_long())) size /= 2;
  return size <= most ? size : 0;
}

/// When the first of the classes left has to make way for the next.
double tuner::end_of_first(std::span<const io_class> classes) const {
  const double now = on_.now();
  return now + (races_until_ - now) * weight(classes.front()) / weight(classes);
}

class_result tuner::write(std::span<const io_class> classes) {
  const io_class what = classes.front();
  const std::uint64_t bytes =
      bytes_for_writing_ / static_cast<std::uint64_t>(std::ranges::count_if(classes, is_writing));
  budget left{.until = end_of_first(classes), .bytes = bytes};
  class_result made = find_best(writing_, what, left);
  bytes_for_writing_ -= bytes - left.bytes;
  all_.bytes -= bytes - left.bytes;
  learn(writing_.seeds, made.field);
  // The other way round it does not hold: what is slow when each block is synced may be fast when none is.
  if (what == io_class::none) writing_.seeds = drop_dominated(writing_.seeds, made.field);
  return made;
}

class_result tuner::read(std::span<const io_class> classes) {
  const io_class what = classes.front();
  if (reading_.size == 0) return {.found = {.what = what}, .field = {}, .end = race_end::bytes};
  if (reading_.seconds_per_byte == 0) warm_up(reading_, what);
  const std::uint64_t bytes = bytes_for_reading_ / static_cast<std::uint64_t>(std::ranges::count_if(classes, reads));
  budget left{.until = end_of_first(classes), .bytes = bytes};
  class_result made = find_best(reading_, what, left);
  bytes_for_reading_ -= bytes - left.bytes;
  learn(reading_.seeds, made.field);
  return made;
}

class_result tuner::find_best(const kind_of_work& work, io_class what, budget& left) {
  race_setup where{.what = what, .size = work.size, .seed = setup_.seed};
  // What is read has one size.
  where.least_size = reads(what) ? work.size : std::min(where.least_size, work.size);
  where.seconds_per_byte = work.seconds_per_byte;
  where.past_cache = setup_.past_cache;
  race_result raced = race(where, work.seeds, on_, left);
  class_result result;
  result.found = rank_candidates(what, raced.field, setup_.seed);
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

tuning tune(const tune_setup& setup, const trial_source& on) { return tuner{setup, on}.run(); }

}  // namespace freshet::tool
