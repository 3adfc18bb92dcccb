#include "lab/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <freshet/error.hpp>

#include "lab/encrypt/output_directory.hpp"
#include "lab/ranks/run_on_all.hpp"
#include "lab/sweep/runner.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/environment.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr unsigned most_rounds = 1000;

// @throws freshet::error  if there is something in it
void create_empty_directory(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) throw error{failure, "make the directory", directory};
  remove_leftovers(directory);
  if (!list_names(directory).empty())
    refuse(std::errc::directory_not_empty, "write the outputs to", directory, "name one that is empty or missing");
}

/// One call of run_sweep(). All ranks call every function, except those that are marked.
class sweep_run {
 public:
  sweep_run(const sweep_order& order, ranks& all, const sweep_listener& listener)
      : order_{order}, all_{all}, listener_{listener}, is_tentative_{order.fits_scale} {
    result_.plan = order.plan;
    result_.plan.ranks = all.count();
    if (order.fits_scale) result_.plan.scale = least_fitting_scale;
  }

  sweep_result run();

 private:
  void open_input();
  void open_directories();
  void count_machines();
  void start_rounds();
  void create_corpora();
  [[nodiscard]] bool run_round(unsigned round);
  void run_trial(const scheduled_trial& scheduled);
  bool enlarge_corpora();
  void accept_first_round();

  // Called at the root only.
  [[nodiscard]] unsigned planned_rounds() const { return result_.plan.rounds.value_or(least_rounds); }
  void check_budget() const;
  [[nodiscard]] double choose_scale() const;
  [[nodiscard]] bool has_time_for_round(unsigned round) const;
  [[nodiscard]] bool is_overdue() const;
  [[nodiscard]] double estimate_seconds_left(std::size_t trials) const;
  void show_progress(const std::string& state, double seconds_left = -1) const {
    if (listener_.progress) listener_.progress(state, seconds_left);
  }

  const sweep_order& order_;
  ranks& all_;
  const sweep_listener& listener_;
  bool is_tentative_;  ///< the first round may still be dropped
  sweep_result result_;
  std::optional<scratch> outputs_scratch_;  ///< at the root
  std::optional<scratch> corpora_scratch_;  ///< at the root, if the corpora lie elsewhere
  fs::path corpora_directory_;
  std::optional<trial_outputs> outputs_;  ///< used at the root
  std::optional<sweep_runner> runner_;
  std::vector<sweep_cell> cells_;
  std::vector<scheduled_trial> schedule_;
  round_times times_;             ///< at the root; the latest of each cell, 0 before its first trial
  double seconds_of_trials_ = 0;  ///< at the root; of those in the result
  double longest_round_ = 0;
  stopwatch watch_;
};

sweep_result sweep_run::run() {
  if (!order_.input.empty()) open_input();
  open_directories();
  count_machines();
  run_on_root(all_, [&] {
    check_budget();
    if (listener_.start) listener_.start(result_.plan, planned_rounds());
  });
  start_rounds();
  for (unsigned round = 0; run_on_root(all_, [&] { return has_time_for_round(round); }); ++round) {
    bool complete = run_round(round);
    if (round == 0) {
      if (complete && is_tentative_ && enlarge_corpora()) complete = run_round(round);
      accept_first_round();
    }
    if (!complete) break;
  }
  result_.caveats = runner_->caveats();
  result_.seconds = watch_.seconds();
  return std::move(result_);
}

void sweep_run::open_input() {
  corpus_shape given{.name = printable(order_.input.string()), .directory = order_.input};
  given.volume = run_on_root(all_, [&] {
    require_apart(order_.input, place_of_outputs(order_));
    const std::vector<input_file> files = list_input(order_.input);
    if (files.empty()) refuse(std::errc::invalid_argument, "read", order_.input, "it has no files");
    show_progress("reading " + given.name);
    return count_text(order_.input, files);
  });
  given.files = given.volume.files;
  result_.plan.corpora = {std::move(given)};
}

void sweep_run::open_directories() {
  std::uint64_t most_files = 0;
  const auto [outputs, corpora] = run_on_root(all_, [&] {
    const fs::path& of_input = order_.input.empty() ? order_.directory : order_.input;
    const detail::os::file_system place = file_system_at(of_input);
    if (order_.plan.cold && is_in_memory(place))
      refuse(std::errc::operation_not_supported, "read cold in", of_input, why_never_cold(place));
    if (!order_.output.empty()) create_empty_directory(order_.output);
    outputs_scratch_.emplace(place_of_outputs(order_));
    if (order_.input.empty() && !order_.output.empty()) corpora_scratch_.emplace(order_.directory);
    most_files = most_emptied_files(file_system_at(place_of_outputs(order_)).available);
    const scratch& of_corpora = corpora_scratch_ ? *corpora_scratch_ : *outputs_scratch_;
    return std::pair{outputs_scratch_->path().string(), of_corpora.path().string()};
  });
  corpora_directory_ = corpora;
  outputs_.emplace(outputs, most_files);
}

void sweep_run::count_machines() {
  const auto hosts = run_on_all(all_, [] { return std::pair{host_name(), processor_count()}; });
  if (!all_.is_root()) return;
  const std::map<std::string, unsigned> machines{hosts.begin(), hosts.end()};
  result_.machines = static_cast<unsigned>(machines.size());
  result_.processors = 0;
  for (const auto& [name, processors] : machines) result_.processors += processors;
}

// @throws freshet::error
void sweep_run::check_budget() const {
  require_budget(place_of_outputs(order_), result_.bytes_written + bytes_written_by(result_.plan, planned_rounds()),
                 order_.max_bytes);
  if (order_.force) return;
  const space_needed need = space_needed_by(result_.plan);
  const bool is_one_place = !corpora_scratch_;
  require_space(place_of_outputs(order_), need.outputs + (is_one_place ? need.corpora : 0));
  if (!is_one_place) require_space(order_.directory, need.corpora);
}

void sweep_run::start_rounds() {
  create_corpora();
  runner_.emplace(corpora_directory_, result_.plan, all_, *outputs_);
  cells_ = list_cells(result_.plan);
  schedule_ =
      schedule(cells_.size(), result_.plan.rounds.value_or(most_rounds), trial_order::random, result_.plan.seed);
  times_.trials.assign(cells_.size(), 0);
  times_.between_trials = std::numeric_limits<double>::max();
}

void sweep_run::create_corpora() {
  run_on_root(all_, [&] {
    const stopwatch watch;
    for (std::size_t number = 0; number < result_.plan.corpora.size(); ++number) {
      const corpus_shape& full = result_.plan.corpora[number];
      if (full.is_given()) continue;
      const corpus_plan corpus = scale_corpus(result_.plan, number);
      show_progress("making " + full.name);
      result_.bytes_written +=
          make_corpus(corpora_directory_ / full.name, corpus, order_.force, [](const corpus_progress&) {}).bytes;
    }
    times_.corpora = watch.seconds();
  });
}

// Returns false if the time was over before the round was complete.
bool sweep_run::run_round(unsigned round) {
  const stopwatch watch;
  for (std::size_t turn = round * cells_.size(); turn < (round + 1) * cells_.size(); ++turn) {
    if (run_on_root(all_, [&] { return is_overdue(); })) {
      result_.missing = (round + 1) * cells_.size() - turn;
      return false;
    }
    run_trial(schedule_[turn]);
  }
  longest_round_ = std::max(longest_round_, watch.seconds());
  result_.rounds = round + 1;
  return true;
}

// Whether the sweep has taken so much longer than it may that it ends as it is. Who asked for a number of rounds gets
// them.
bool sweep_run::is_overdue() const {
  constexpr double allowance = 1.15;
  return !result_.plan.rounds && !result_.trials.empty() && watch_.seconds() > allowance * result_.plan.seconds;
}

void sweep_run::run_trial(const scheduled_trial& scheduled) {
  const sweep_cell& cell = cells_[scheduled.plan];
  run_on_root(all_, [&] {
    const std::size_t trials = std::max(planned_rounds(), scheduled.round + 1) * cells_.size();
    show_progress(fmt::format("trial {} of {}: {}, {}", result_.trials.size() + 1, trials,
                              result_.plan.corpora[cell.corpus].name, describe(cell)),
                  estimate_seconds_left(trials));
  });
  const stopwatch watch;
  sweep_trial trial = runner_->run(cell);
  if (!all_.is_root()) return;
  const double seconds = watch.seconds();
  times_.trials[scheduled.plan] = seconds;
  seconds_of_trials_ += seconds;
  times_.between_trials = std::min(times_.between_trials, seconds - trial.figures.seconds_to_disk);
  trial.figures.round = scheduled.round;
  trial.figures.position = scheduled.position;
  result_.bytes_written += trial.figures.bytes_written;
  if (!is_tentative_ && listener_.record) listener_.record(result_.plan, trial);
  result_.trials.push_back(std::move(trial));
}

// After a tentative round: whether the sweep starts again, with larger corpora. The small ones stay until the end,
// because some file systems create files slowly after others were removed.
bool sweep_run::enlarge_corpora() {
  const double scale = run_on_root(all_, [&] { return choose_scale(); });
  if (scale == result_.plan.scale) return false;
  result_.plan.scale = scale;
  result_.trials.clear();
  seconds_of_trials_ = 0;
  longest_round_ = 0;
  is_tentative_ = false;
  corpora_directory_ /= "enlarged";
  run_on_root(all_, [&] { check_budget(); });
  start_rounds();
  return true;
}

double sweep_run::choose_scale() const {
  constexpr double share_of_time = 0.85;        // the prediction is not exact
  constexpr double worth_starting_again = 1.5;  // times the scale; otherwise further rounds use the time better
  const double seconds = share_of_time * result_.plan.seconds - watch_.seconds();
  const std::uint64_t bytes = order_.max_bytes - std::min(order_.max_bytes, result_.bytes_written);
  const double scale = find_fitting_scale(result_.plan, times_, planned_rounds(), seconds, bytes);
  return scale >= worth_starting_again * result_.plan.scale ? scale : result_.plan.scale;
}

void sweep_run::accept_first_round() {
  const bool was_tentative = std::exchange(is_tentative_, false);
  run_on_root(all_, [&] {
    if (was_tentative && listener_.record)
      for (const sweep_trial& each : result_.trials) listener_.record(result_.plan, each);
    if (const unsigned rounds = planned_rounds(); rounds > 1 && listener_.estimate)
      listener_.estimate(result_.plan, rounds, watch_.seconds() + (rounds - 1) * longest_round_);
  });
}

bool sweep_run::has_time_for_round(unsigned round) const {
  if (result_.plan.rounds) return round < *result_.plan.rounds;
  if (round < least_rounds) return true;
  const std::uint64_t round_bytes = bytes_written_by(result_.plan, 1) - bytes_written_by(result_.plan, 0);
  return round < most_rounds && watch_.seconds() + longest_round_ <= result_.plan.seconds &&
         result_.bytes_written + round_bytes <= order_.max_bytes;
}

// Until `trials` trials are done. Their order is random, so the average so far is that of the rest.
double sweep_run::estimate_seconds_left(std::size_t trials) const {
  const std::size_t done = result_.trials.size();
  return done == 0 ? -1 : seconds_of_trials_ / static_cast<double>(done) * static_cast<double>(trials - done);
}

}  // namespace

sweep_result run_sweep(const sweep_order& order, ranks& all, const sweep_listener& listener) {
  return sweep_run{order, all, listener}.run();
}

}  // namespace freshet::tool
