#include "tool/search/tuning.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/search/further_measurements.hpp"
#include "tool/search/profile_choice.hpp"
#include "tool/search/question.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr double answers_share = 0.85;  // of the time and bytes, where tune goes on after the answers
constexpr double contest_share = 0.7;   // of a class's time; the rest tries a profile, and compares smaller files
constexpr double contest_bytes_share = 0.78;
constexpr double contest_share_without_profile = 0.9;
constexpr double profile_share = 0.8;        // of what a contest leaves; the rest compares smaller files
constexpr double early_profile_share = 0.5;  // of the time that settles an answer
constexpr double refinement_share = 0.4;     // of the time that the answers leave
constexpr double usual_overhead = 0.3;       // seconds, of a trial. That of the first one has what is done once.
constexpr std::uint64_t quick_trial_size = 256 * mebibyte;
constexpr std::uint64_t share_for_one = 8;  // a single file may take one part in so many of all bytes
constexpr std::uint64_t least_reading_size = 16 * mebibyte;
constexpr unsigned readers_in_the_end = 4;  // ways, of a question
// The profile keeps one way for files of all sizes, so a way is compared in these, too. How fast a file is read hardly
// depends on its size.
constexpr std::array smaller_sizes{64 * mebibyte, 256 * mebibyte};
constexpr std::size_t smaller_sizes_read = 1;

bool is_writing(io_class measured_class) { return !reads(measured_class); }

// The seconds that a question takes at 1 GB/s, in the order of io_class. There are more ways to write than to read.
double usual_seconds_of(io_class measured_class) {
  constexpr std::array seconds{96.0, 77.0, 77.0, 58.0, 30.0};
  return seconds.at(static_cast<std::size_t>(measured_class));
}

// The source, with a log of what was written and how fast, and with one countdown, to `until`, that only falls.
trial_source watched(const trial_source& source, std::vector<sustained_rate>& log, double& bytes, double until) {
  trial_source all = source;
  all.run = [&source, &log, &bytes](const trial_plan& plan) {
    const double before = bytes;
    const bool writes = is_writing(plan.measured_class);
    if (writes) bytes += static_cast<double>(plan.size) * plan.jobs;
    trial_result trial = source.run(plan);
    if (!writes) bytes += static_cast<double>(trial.bytes_written);
    if (writes && trial.is_usable())
      log.push_back({plan, before, static_cast<double>(trial.bytes) / trial.seconds_to_disk});
    return trial;
  };
  if (source.show)
    all.show = [&source, until, shown = std::numeric_limits<double>::infinity()](const race_progress& now) mutable {
      shown = std::min(shown, std::max(until - source.now(), 0.0));
      source.show({now.running, now.best, shown});
    };
  if (source.run_program)
    all.run_program = [&source, &bytes](const trial_plan& plan) {
      bytes += 2 * static_cast<double>(plan.size);
      return source.run_program(plan);
    };
  return all;
}

// The source, whose trials are kept as what explains the machine.
trial_source diagnosing(const trial_source& source) {
  trial_source all = source;
  if (source.keep)
    all.keep = [&source](const trial_result& trial, trial_purpose) { source.keep(trial, trial_purpose::diagnosis); };
  return all;
}

// One kind of work, writing or reading, and what is known of it so far.
struct kind_of_work {
  std::vector<trial_plan> seeds;
  std::uint64_t size = 0;    // bytes per file; 0: it does not fit the budget
  std::uint64_t bytes = 0;   // left for its questions
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
  void find_answers();
  void settle_answers();
  void settle_answer(class_result& of, double until);
  void go_on();
  class_result answer_first(std::span<const io_class> classes);
  void try_profile(class_result& of, const question& asked, budget& left, double share);
  void compare_smaller(class_result& of, question asked, budget& left);
  void take(class_result& of, race_result raced);
  void warm_up(kind_of_work& work, io_class measured_class, std::uint64_t size);
  void prepare_reading(io_class measured_class, double seconds);
  [[nodiscard]] question ask(const kind_of_work& work, io_class measured_class) const;
  [[nodiscard]] std::uint64_t fitting_reading_size(const trial_cost& expected, double seconds) const;
  [[nodiscard]] std::uint64_t largest_reading_size() const;
  [[nodiscard]] double class_deadline(std::span<const io_class> classes) const;
  [[nodiscard]] bool tries_profiles(io_class measured_class) const;
  [[nodiscard]] bool has_ended() const { return result_.interrupted || !result_.failure.empty(); }
  [[nodiscard]] bool writes() const { return std::ranges::any_of(setup_.classes, is_writing); }

  const tune_setup& setup_;
  tuning result_;
  std::vector<sustained_rate> log_;
  double bytes_ = 0;
  double start_;
  budget all_;
  double answers_until_;
  trial_source source_;
  kind_of_work writing_;
  kind_of_work reading_;
  file_system_profile tried_;  // what trials use whose prior is the profile
};

tuner::tuner(const tune_setup& setup, const trial_source& source)
    : setup_{setup},
      start_{source.now()},
      all_{.until = start_ + setup.seconds, .bytes = setup.bytes},
      answers_until_{start_ + (setup.goes_on ? answers_share : 1) * setup.seconds},
      source_{watched(source, log_, bytes_, all_.until)},
      writing_{.seeds = setup.seeds, .size = setup.size},
      reading_{.seeds = setup.reading_seeds, .bytes = setup.bytes} {
  result_.size = setup.size;
  for (const io_class each : setup.fixed) keep_fixed(tried_, each);
}

tuning tuner::run() {
  try {
    find_answers();
    settle_answers();
    if (setup_.goes_on && !has_ended() && result_.has_answer()) go_on();
  } catch (const interrupted&) {
    if (!result_.has_answer()) throw;
    result_.interrupted = true;
  } catch (const freshet::error& failure) {
    if (!result_.has_answer()) throw;
    result_.failure = failure.what();
  }
  std::ranges::sort(result_.classes, {}, [&](const class_result& each) {
    return std::ranges::find(setup_.classes, each.verdict.measured_class) - setup_.classes.begin();
  });
  result_.slowed = measure_slowdown(log_);
  result_.bytes_written = static_cast<std::uint64_t>(bytes_);
  result_.seconds = source_.now() - start_;
  return std::move(result_);
}

void tuner::find_answers() {
  const std::span<const io_class> classes{setup_.classes};
  const std::uint64_t quick = std::min(setup_.size, quick_trial_size);
  if (writes() && quick <= all_.bytes / share_for_one) warm_up(writing_, io_class::none, quick);
  log_.clear();  // the first trial is always slow: that is no slowdown
  if (std::ranges::any_of(classes, reads)) reading_.size = largest_reading_size();
  writing_.bytes = static_cast<std::uint64_t>((setup_.goes_on ? answers_share : 1) *
                                              static_cast<double>(all_.bytes - std::min(all_.bytes, reading_.size)));
  // How to read is known sooner, and leaves the rest of its time to how to write.
  std::vector<io_class> order{classes.begin(), classes.end()};
  std::stable_partition(order.begin(), order.end(), reads);
  for (std::span<const io_class> open{order}; !open.empty() && !has_ended(); open = open.subspan(1)) {
    result_.classes.push_back(answer_first(open));
    result_.interrupted = result_.classes.back().end == race_end::interrupted;
  }
}

// What the answers leave of time and bytes goes to those that are not sure, and what these leave to the next of them.
void tuner::settle_answers() {
  std::vector<class_result*> open;
  for (class_result& each : result_.classes)
    if (!each.verdict.ranking.empty() && each.end != race_end::failed && !find_answer(each).is_sure)
      open.push_back(&each);
  for (std::size_t i = 0; i < open.size() && !has_ended(); ++i) {
    const double now = source_.now();
    settle_answer(*open[i], now + (all_.until - now) / static_cast<double>(open.size() - i));
  }
}

void tuner::settle_answer(class_result& of, double until) {
  const io_class measured_class = of.verdict.measured_class;
  kind_of_work& work = reads(measured_class) ? reading_ : writing_;
  const std::uint64_t bytes = std::min(work.bytes, reads(measured_class) ? work.bytes : all_.bytes);
  budget left{.until = until, .bytes = bytes};
  const question asked = ask(work, measured_class);
  if (!find_answer(of).profile_gain) try_profile(of, asked, left, early_profile_share);
  if (!has_ended()) {
    const bool is_way_sure = find_answer(of).is_way_sure;
    take(of, is_way_sure ? compare_with_profile(asked, std::move(of.candidates), source_, left, 1)
                         : settle(asked, std::move(of.candidates), source_, left));
  }
  if (!find_answer(of).profile_gain && !has_ended()) try_profile(of, asked, left, 1);
  if (of.smaller.empty() && !has_ended()) compare_smaller(of, asked, left);
  work.bytes -= bytes - left.bytes;
  if (!reads(measured_class)) all_.bytes -= bytes - left.bytes;
}

void tuner::take(class_result& of, race_result raced) {
  of.verdict = rank_candidates(of.verdict.measured_class, raced.candidates, setup_.negligible_share);
  of.candidates = std::move(raced.candidates);
  of.end = raced.end;
  result_.failure = raced.failure;
  result_.interrupted = raced.end == race_end::interrupted;
}

// What the answers leave of time and bytes goes to other blocks of what they recommend, then to what programs will get.
void tuner::go_on() {
  const double refined_until = source_.now() + refinement_share * (all_.until - source_.now());
  for (class_result& each : result_.classes) {
    budget left{.until = refined_until, .bytes = all_.bytes / 2};
    const std::uint64_t before = left.bytes;
    each.refined = try_other_blocks(each, setup_, source_, left);
    if (is_writing(each.verdict.measured_class)) all_.bytes -= before - left.bytes;
    if (each.refined && each.refined->end == race_end::interrupted) throw_if_interrupted();
  }
  for (class_result& each : result_.classes) forecast(each, setup_, source_, all_);
  if (!writes()) return;
  const trial_source explaining = diagnosing(source_);
  result_.memory = measure_memory(setup_, explaining, all_);
  result_.order_costs = measure_order_costs(setup_, result_.classes, explaining, all_);
}

// The first trial finds the disk as other programs left it, and the first that reads has to write its file. Measures
// how long a byte takes, bypassing the page cache if any method can.
void tuner::warm_up(kind_of_work& work, io_class measured_class, std::uint64_t size) {
  const auto past_cache =
      std::ranges::find_if(work.seeds, [&](const trial_plan& seed) { return setup_.past_cache.contains(seed.method); });
  trial_plan plan = past_cache == work.seeds.end() ? work.seeds.front() : *past_cache;
  plan.measured_class = measured_class;
  plan.size = size;
  all_.bytes -= plan.size;
  if (source_.show) source_.show({plan, nullptr, all_.until - source_.now()});
  result_.warm_up.push_back(source_.run(plan));
  if (source_.keep) source_.keep(result_.warm_up.back(), trial_purpose::warm_up);
  const double seconds = result_.warm_up.back().seconds_to_disk;
  work.expected = {seconds / static_cast<double>(plan.size), usual_overhead};
}

// The file that all trials read has the size asked about or, where so many trials of it would take too long, half of
// it, and so on. Where nothing was written before, a small file shows how fast the disk is.
void tuner::prepare_reading(io_class measured_class, double seconds) {
  if (writing_.expected.seconds_per_byte == 0) {
    const std::uint64_t quick = std::min(reading_.size, quick_trial_size);
    warm_up(reading_, measured_class, quick);
    reading_.size = fitting_reading_size(reading_.expected, seconds);
    while (reading_.size > quick && reading_.size > all_.bytes) reading_.size /= 2;
    if (reading_.size > quick) all_.bytes -= reading_.size;
  } else {
    reading_.size = fitting_reading_size(writing_.expected, seconds);
    warm_up(reading_, measured_class, reading_.size);
  }
}

std::uint64_t tuner::fitting_reading_size(const trial_cost& expected, double seconds) const {
  const std::size_t trials = 2 * setup_.reading_seeds.size() + std::size_t{readers_in_the_end} * rounds_to_decide;
  std::uint64_t size = reading_.size;
  const auto takes_too_long = [&] {
    return static_cast<double>(trials) *
               (expected.overhead_seconds + expected.seconds_per_byte * static_cast<double>(size)) >
           seconds;
  };
  while (size / 2 >= least_reading_size && takes_too_long()) size /= 2;
  return size;
}

// The size asked about, halved where it takes too large a part of the bytes; 0 if even a small file does.
std::uint64_t tuner::largest_reading_size() const {
  const std::uint64_t most = writes() ? all_.bytes / share_for_one : all_.bytes;
  std::uint64_t size = setup_.size;
  while (size / 2 >= least_reading_size && size > most) size /= 2;
  return size <= most ? size : 0;
}

// When the first of these classes has to end.
double tuner::class_deadline(std::span<const io_class> classes) const {
  const double now = source_.now();
  return now + (answers_until_ - now) * usual_seconds_of(classes.front()) / usual_seconds(classes);
}

question tuner::ask(const kind_of_work& work, io_class measured_class) const {
  question asked{.measured_class = measured_class, .size = work.size, .ways = work.seeds};
  // All trials that read use the one file.
  asked.least_size = reads(measured_class) ? work.size : std::min(asked.least_size, work.size);
  for (const trial_plan& plan : setup_.known) {
    if (plan.measured_class != measured_class) continue;
    const auto is_same = [&](const trial_plan& way) {
      return way.method == plan.method && way.block == plan.block && way.depth == plan.depth;
    };
    if (std::ranges::none_of(asked.ways, is_same)) asked.ways.push_back(plan);
    asked.in_use.push_back(plan);
  }
  if (is_writing(measured_class)) asked.baselines = setup_.baselines;
  asked.expected = work.expected;
  asked.negligible_share = setup_.negligible_share;
  asked.seed = setup_.seed;
  return asked;
}

class_result tuner::answer_first(std::span<const io_class> classes) {
  const io_class measured_class = classes.front();
  const bool reading = reads(measured_class);
  kind_of_work& work = reading ? reading_ : writing_;
  class_result of;
  of.verdict.measured_class = measured_class;
  of.end = race_end::bytes;
  if (work.size == 0) return of;
  const double deadline = class_deadline(classes);
  const bool tries = tries_profiles(measured_class);
  const double share = tries ? contest_share : contest_share_without_profile;
  if (reading && work.expected.seconds_per_byte == 0)
    prepare_reading(measured_class, share * (deadline - source_.now()));
  const std::uint64_t bytes = work.bytes / static_cast<std::uint64_t>(std::ranges::count(classes, reading, reads));
  const std::uint64_t contested =
      tries ? static_cast<std::uint64_t>(contest_bytes_share * static_cast<double>(bytes)) : bytes;
  budget left{.until = deadline, .bytes = bytes};
  budget contest{.until = source_.now() + share * (deadline - source_.now()), .bytes = contested};
  const question asked = ask(work, measured_class);
  take(of, answer(asked, source_, contest));
  left.bytes -= contested - contest.bytes;
  if (!has_ended()) try_profile(of, asked, left, profile_share);
  if (!has_ended()) compare_smaller(of, asked, left);
  work.bytes -= bytes - left.bytes;
  if (!reading) all_.bytes -= bytes - left.bytes;
  return of;
}

bool tuner::tries_profiles(io_class measured_class) const {
  return source_.use_profile && measured_class != io_class::warm;
}

// What programs get with the profile as it would be saved, where that may be more than by themselves.
void tuner::try_profile(class_result& of, const question& asked, budget& left, double share) {
  of.needs_profile_tried = tries_profiles(asked.measured_class);
  const std::optional<comparison> gain = of.verdict.gain;
  const bool may_gain =
      gain && (gain->result == outcome::better || gain->ratio.value * (1 + setup_.negligible_share) < 1);
  if (!of.needs_profile_tried || !may_gain) return;
  name_best_way(tried_, of);
  source_.use_profile(tried_);
  const race_end contested = of.end;
  take(of, compare_with_profile(asked, std::move(of.candidates), source_, left, share));
  if (!has_ended()) of.end = contested;
}

// Where the profile would name the way, small files must not lose by it.
void tuner::compare_smaller(class_result& of, question asked, budget& left) {
  const class_answer found = find_answer(of);
  if (found.what != advice::profile || found.by_themselves == nullptr) return;
  const ranked_candidate& advised = found.with_profile != nullptr ? *found.with_profile : *found.best;
  const std::vector<trial_plan> ways{advised.plan, found.by_themselves->plan};
  const std::uint64_t largest = found.best->size;
  const std::size_t count = reads(asked.measured_class) ? smaller_sizes_read : smaller_sizes.size();
  for (const std::uint64_t size : std::span{smaller_sizes}.first(count)) {
    if (size >= largest) break;
    if (reads(asked.measured_class)) {  // a file of its own
      if (size > all_.bytes) break;
      all_.bytes -= size;
      writing_.bytes -= std::min(writing_.bytes, size);
    }
    asked.size = size;
    std::vector<candidate> candidates = compare_in_size(asked, ways, source_, left);
    class_verdict verdict = rank_candidates(asked.measured_class, candidates, setup_.negligible_share);
    if (!verdict.ranking.empty()) of.smaller.push_back({size, std::move(verdict), std::move(candidates)});
  }
}

}  // namespace

bool tuning::has_answer() const {
  return std::ranges::any_of(classes, [](const class_result& each) { return !each.verdict.ranking.empty(); });
}

double usual_seconds(std::span<const io_class> classes) {
  return std::transform_reduce(classes.begin(), classes.end(), 0.0, std::plus{}, usual_seconds_of);
}

tuning tune(const tune_setup& setup, const trial_source& source) { return tuner{setup, source}.run(); }

}  // namespace freshet::tool
