#include "tool/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include <freshet/error.hpp>

#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/size.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/host.hpp"
#include "tool/ranks/run_on_all.hpp"
#include "tool/sweep/runner.hpp"
#include "tool/sweep/trial_outputs.hpp"
#include "tool/trial/grid.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr unsigned most_rounds = 1000;
constexpr unsigned sample_files = 200;

/// A trial, and the seconds that the sweep took for it beside it.
struct sample_trial {
  sweep_trial made;
  double between = 0;
};

sweep_pace pace_of(const sample_trial& small, const sample_trial& after_small, const sample_trial& after_large,
                   const sample_trial& compared) {
  const auto bytes = static_cast<double>(after_large.made.figures.bytes);
  sweep_pace pace;
  pace.per_byte = (after_small.made.figures.seconds_to_disk + after_large.made.figures.seconds_to_disk) / 2 / bytes;
  pace.per_file = std::max(0.0, small.made.figures.seconds_to_disk -
                                    pace.per_byte * static_cast<double>(small.made.figures.bytes)) /
                  sample_files;
  pace.between = after_small.between;
  pace.between_per_byte = std::max(0.0, after_large.between - after_small.between) / bytes;
  pace.check_per_byte = std::max(0.0, compared.between - after_large.between) / bytes;
  return pace;
}

/// One call of run_sweep(). Every function but those that say so is called by all ranks.
class sweep_run {
 public:
  sweep_run(const sweep_order& order, ranks& all, const sweep_listener& listener)
      : order_{order}, all_{all}, listener_{listener} {
    result_.plan = order.plan;
    result_.plan.ranks = all.count();
  }

  sweep_result go();

 private:
  void open_directory();
  void count_machines();
  void take_sample();
  void find_scale();
  void check_budget() const;
  void make_corpora(const sweep_plan& plan);
  void make_rounds();
  void make_trial(sweep_runner& stand, const sweep_cell& cell, const scheduled_trial& when);

  // At rank 0.
  [[nodiscard]] bool has_room_for_round(unsigned round) const;
  [[nodiscard]] double seconds_left(std::size_t trials) const;
  void say(const std::string& what, double seconds_left = -1) const {
    if (listener_.step) listener_.step(what, seconds_left);
  }

  const sweep_order& order_;
  ranks& all_;
  const sweep_listener& listener_;
  sweep_result result_;
  std::optional<scratch> scratch_;  // rank 0's
  fs::path directory_;
  std::optional<trial_outputs> outputs_;  // rank 0's are in use
  std::optional<sweep_pace> pace_;
  std::vector<sweep_cell> cells_;
  std::vector<scheduled_trial> appointments_;
  double longest_round_ = 0;
  stopwatch watch_;
  std::optional<stopwatch> trials_watch_;
};

sweep_result sweep_run::go() {
  open_directory();
  count_machines();
  if (order_.takes_sample) take_sample();
  find_scale();
  run_on_root(all_, [&] {
    check_budget();
    const unsigned rounds = result_.plan.rounds.value_or(least_rounds);
    if (listener_.begins)
      listener_.begins(result_.plan, rounds,
                       pace_ ? predicted_seconds(result_.plan, result_.plan.scale, rounds, *pace_) : -1);
  });
  make_corpora(result_.plan);
  make_rounds();
  result_.seconds = watch_.seconds();
  return std::move(result_);
}

void sweep_run::open_directory() {
  std::uint64_t most_files = 0;
  directory_ = run_on_root(all_, [&] {
    const detail::os::file_system place = file_system_at(order_.directory);
    if (order_.plan.cold && is_in_memory(place))
      throw error{std::make_error_code(std::errc::operation_not_supported), "read cold in", order_.directory,
                  error::no_offset, why_never_cold(place)};
    scratch_.emplace(order_.directory);
    most_files = most_emptied_files(place.available);
    return scratch_->path().string();
  });
  outputs_.emplace(directory_, most_files);
}

void sweep_run::count_machines() {
  const auto hosts = run_on_all(all_, [] { return std::pair{host_name(), processor_count()}; });
  if (!all_.is_root()) return;
  const std::map<std::string, unsigned> machines{hosts.begin(), hosts.end()};
  result_.machines = static_cast<unsigned>(machines.size());
  result_.processors = 0;
  for (const auto& [name, processors] : machines) result_.processors += processors;
}

// Many small files and a few large ones, as the oldest strategy takes them; a few large ones after small ones, after
// large ones, and compared.
void sweep_run::take_sample() {
  run_on_root(all_, [&] { say("taking a sample"); });
  sweep_plan sample;
  sample.corpora = {{"sample-files", sample_files, 100, 100}, {"sample-bytes", 4, 10'000, 1000}};
  sample.contenders = {strategy::streaming};
  sample.work = {0, 1};
  sample.cold = order_.plan.cold;
  sample.ranks = all_.count();
  make_corpora(sample);
  sweep_runner stand{directory_, sample, all_, *outputs_};
  const auto timed = [&](const sweep_cell& cell) {
    const stopwatch watch;
    sample_trial one{stand.run(cell), 0};
    one.between = watch.seconds() - one.made.figures.seconds_to_disk;
    result_.bytes_written += one.made.bytes_out;
    return one;
  };
  const std::vector<sweep_cell> cells = cells_of(sample);
  const sweep_cell& few_large = cells[2];
  timed(few_large);  // the first one finds memory in any state
  const sample_trial small = timed(cells[0]);
  const sample_trial after_small = timed(few_large);
  const sample_trial after_large = timed(few_large);
  const sample_trial compared = timed(cells[3]);  // what comes out of a cell for the first time is
  if (!all_.is_root()) return;
  sweep_pace& pace = pace_.emplace(pace_of(small, after_small, after_large, compared));
  pace.processors = result_.processors;
  measure_passes(order_.plan, pace);
}

void sweep_run::find_scale() {
  if (!order_.fits_scale) return;
  constexpr double spare = 0.85;  // of the time; what a sample says is not exact
  result_.plan.scale = run_on_root(all_, [&] {
    const unsigned rounds = result_.plan.rounds.value_or(least_rounds);
    return fitting_scale(result_.plan, rounds, order_.plan.seconds * spare - watch_.seconds(), order_.max_bytes,
                         *pace_);
  });
}

// At rank 0. @throws freshet::error
void sweep_run::check_budget() const {
  const std::uint64_t all =
      result_.bytes_written + bytes_written_by(result_.plan, result_.plan.rounds.value_or(least_rounds));
  require_budget(order_.directory, all, order_.max_bytes);
  if (!order_.force) require_space(order_.directory, bytes_needed_by(result_.plan));
}

void sweep_run::make_corpora(const sweep_plan& plan) {
  run_on_root(all_, [&] {
    for (std::size_t number = 0; number < plan.corpora.size(); ++number) {
      const corpus_plan corpus = scaled(plan, number);
      say(fmt::format("making {}", plan.corpora[number].name));
      make_corpus(directory_ / plan.corpora[number].name, corpus, order_.force, [](const corpus_progress&) {});
      result_.bytes_written += corpus_bytes(corpus);
    }
  });
}

void sweep_run::make_rounds() {
  sweep_runner stand{directory_, result_.plan, all_, *outputs_};
  cells_ = cells_of(result_.plan);
  appointments_ =
      schedule(cells_.size(), result_.plan.rounds.value_or(most_rounds), trial_order::random, result_.plan.seed);
  trials_watch_.emplace();
  for (unsigned round = 0; run_on_root(all_, [&] { return has_room_for_round(round); }); ++round) {
    const stopwatch watch;
    for (std::size_t turn = round * cells_.size(); turn < (round + 1) * cells_.size(); ++turn)
      make_trial(stand, cells_[appointments_[turn].plan], appointments_[turn]);
    longest_round_ = std::max(longest_round_, watch.seconds());
    result_.rounds = round + 1;
  }
  result_.gaps = stand.gaps();
}

bool sweep_run::has_room_for_round(unsigned round) const {
  if (result_.plan.rounds) return round < *result_.plan.rounds;
  if (round < least_rounds) return true;
  const std::uint64_t of_a_round = bytes_written_by(result_.plan, 1) - bytes_written_by(result_.plan, 0);
  const double removal = pace_ ? predicted_removal(result_.plan, result_.plan.scale, round + 1, *pace_) : 0;
  return round < most_rounds && watch_.seconds() + longest_round_ + removal <= result_.plan.seconds &&
         result_.bytes_written + of_a_round <= order_.max_bytes;
}

void sweep_run::make_trial(sweep_runner& stand, const sweep_cell& cell, const scheduled_trial& when) {
  run_on_root(all_, [&] {
    const unsigned rounds = std::max(result_.plan.rounds.value_or(least_rounds), when.round + 1);
    say(fmt::format("trial {} of {}: {}, {}", result_.trials.size() + 1, rounds * cells_.size(),
                    result_.plan.corpora[cell.corpus].name, describe(cell)),
        seconds_left(rounds * cells_.size()));
  });
  sweep_trial made = stand.run(cell);
  if (!all_.is_root()) return;
  made.figures.round = when.round;
  made.figures.position = when.position;
  result_.bytes_written += made.bytes_out;
  if (listener_.keep) listener_.keep(result_.plan, made);
  result_.trials.push_back(std::move(made));
}

// Until that many trials are made: as long as is predicted, as far as predictions have come true.
double sweep_run::seconds_left(std::size_t trials) const {
  const auto weight = [&](std::size_t turn) {
    if (!pace_) return 1.0;
    return predicted_seconds(result_.plan, cells_[appointments_[turn].plan], result_.plan.scale, *pace_) +
           predicted_between(result_.plan, cells_[appointments_[turn].plan].corpus, result_.plan.scale, *pace_);
  };
  double done = 0;
  double ahead = 0;
  for (std::size_t turn = 0; turn < trials; ++turn) (turn < result_.trials.size() ? done : ahead) += weight(turn);
  if (done == 0) return pace_ ? ahead : -1;
  return ahead * trials_watch_->seconds() / done;
}

}  // namespace

sweep_result run_sweep(const sweep_order& order, ranks& all, const sweep_listener& listener) {
  return sweep_run{order, all, listener}.go();
}

}  // namespace freshet::tool
