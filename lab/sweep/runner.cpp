#include "lab/sweep/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include <freshet/error.hpp>

#include "lab/encrypt/encryption.hpp"
#include "lab/encrypt/input_files.hpp"
#include "lab/ranks/run_on_all.hpp"
#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/cold.hpp"
#include "tool/measure/environment.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/read_file.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// ext4 without a journal does not reuse the inode of a removed file for 60 s, and for 300 s more if the inode's block
// is still to be written. Until then it searches all of them for each new file (recently_deleted() in
// fs/ext4/ialloc.c).
constexpr double shortly = 360;

void empty_files(const fs::path& directory) {
  std::error_code failure;
  const std::vector<fs::path> files = list_entries(directory, failure);
  if (failure) throw error{failure, "list", directory};
  for (const fs::path& each : files) {
    throw_if_interrupted();
    fs::resize_file(each, 0, failure);
    if (failure) throw error{failure, "empty", each};
  }
}

// A checksum of the files' contents, in order.
std::uint64_t compute_checksum(const fs::path& directory, std::span<const input_file> files) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint64_t sum = 0;
  for (const input_file& file : files)
    sum = (sum ^ read_file({.method = "buffered", .measured_class = io_class::warm}, directory / file.name).checksum) *
          odd;
  return sum;
}

}  // namespace

trial_outputs::trial_outputs(fs::path directory, std::uint64_t most_files)
    : directory_{std::move(directory)}, most_files_{most_files} {}

fs::path trial_outputs::next(std::uint64_t files) {
  if (files_ != 0 && files_ + files > most_files_)
    remove_all();
  else if (!kept_.empty())
    empty_files(kept_.back());
  std::error_code failure;
  fs::path next = directory_ / fmt::format("out-{}", created_++);
  if (!fs::create_directory(next, failure)) throw error{failure, "create", next};
  kept_.push_back(next);
  files_ += files;
  return next;
}

bool trial_outputs::removed_shortly_before() const { return removed_ && removed_->seconds() < shortly; }

void trial_outputs::remove_all() {
  for (const fs::path& each : kept_) {
    throw_if_interrupted();
    std::error_code failure;
    fs::remove_all(each, failure);
    if (failure) throw error{failure, "remove", each};
  }
  kept_.clear();
  files_ = 0;
  removed_.emplace();
}

std::uint64_t most_emptied_files(std::uint64_t available) noexcept {
  constexpr std::uint64_t bytes_per_inode = std::uint64_t{16} << 10;  // as mke2fs creates them
  constexpr std::uint64_t share = 4;
  constexpr std::uint64_t most = 1'000'000;  // each takes 1 KiB of the kernel's memory
  return std::min(most, available / bytes_per_inode / share);
}

sweep_runner::sweep_runner(fs::path directory, sweep_plan plan, ranks& all, trial_outputs& outputs)
    : directory_{std::move(directory)}, plan_{std::move(plan)}, all_{all}, outputs_{outputs}, machine_{host_name()} {
  run_on_all(all_, [&] {
    runner_.emplace(outputs_.directory(), file_system_at(outputs_.directory()));
    for (std::size_t number = 0; number < plan_.corpora.size(); ++number) corpora_.push_back(find_corpus(number));
  });
  for (const int process : run_on_all(all_, [] { return ::getpid(); })) processes_.insert(process);
}

sweep_runner::corpus sweep_runner::find_corpus(std::size_t number) const {
  const corpus_shape& full = plan_.corpora[number];
  corpus input;
  input.directory = full.is_given() ? full.directory : directory_ / full.name;
  input.files = share_out(list_input(input.directory), all_.count())[all_.number()];
  for (const input_file& file : input.files) {
    input.paths.push_back(input.directory / file.name);
    input.bytes += file.size;
  }
  corpus_plan share = scale_corpus(plan_, number);
  share.files = static_cast<unsigned>(input.files.size());
  const bool is_uniform = !full.is_given() && !full.vary;
  input.bytes_out = is_uniform ? output_bytes(share) : count_text(input.directory, input.files).bytes_out;
  return input;
}

sweep_trial sweep_runner::run(const sweep_cell& cell) {
  sweep_trial trial;
  trial.cell = cell;
  sweep_share share;
  share.machine = machine_;
  share.bytes_in = corpora_[cell.corpus].bytes;
  output_ = run_on_root(all_, [&] { return outputs_.next(scale_corpus(plan_, cell.corpus).files).string(); });
  trial.files_removed_shortly_before = outputs_.removed_shortly_before();
  run_on_all(all_, [&] { prepare(cell, trial, share); });
  measure(cell, trial, share);
  merge(trial, run_on_all(all_, [&] {
          check_output(cell, share);
          return share;
        }));
  if (all_.is_root()) apply_gates(trial.figures, gate_scope::device, runner_->place(), bytes_on_disk(trial));
  return trial;
}

void sweep_runner::prepare(const sweep_cell& cell, sweep_trial& trial, sweep_share& share) {
  const corpus& input = corpora_[cell.corpus];
  trial_steps steps;
  if (plan_.cold)
    steps.prepare = [&] { check_cold(input, share); };
  else
    steps.warm_up = [&] { check_warm(input, trial, share); };
  if (all_.count() == 1) steps.memory = trial_steps::memory_need{memory_state::unbacked, 0};
  runner_->prepare(trial.figures, steps);
}

void sweep_runner::check_warm(const corpus& input, sweep_trial& trial, sweep_share& share) {
  trial.figures.bytes_cached = warm_up(input.paths);
  if (trial.figures.bytes_cached < input.bytes)
    share.problems.push_back(fmt::format("not warm: the page cache has {} bytes of {}",
                                         trial.figures.bytes_cached.value_or(0), input.bytes));
}

// A start that is not cold makes this trial invalid; others may still be valid.
void sweep_runner::check_cold(const corpus& input, sweep_share& share) {
  try {
    const eviction result = evict(input.paths);
    caveats_.insert(result.caveats.begin(), result.caveats.end());
    if (!result.proven)
      share.problems.push_back("not cold: " + (result.reasons.empty() ? "no proof" : result.reasons.front()));
  } catch (const error& failure) {
    share.problems.push_back(fmt::format("not cold: the cache drop failed: {}", failure.what()));
  }
}

// From the moment when all ranks are ready until all of them, and the disk, are done.
void sweep_runner::measure(const sweep_cell& cell, sweep_trial& trial, sweep_share& share) {
  std::exception_ptr failure;
  const auto attempt = [&](const auto& step) {
    try {
      if (!failure) step();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  std::optional<peak_memory> memory;
  const auto work = [&](trial_clock& clock) {
    memory.emplace();
    all_.barrier();
    clock.start({.own = processes_});
    const double cpu_before = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    attempt([&] {
      try {
        encrypt_share(cell, trial, clock);
      } catch (const std::exception& strategy_failure) {
        share.failure = describe_failure(strategy_failure);
      }
    });
    share.cpu_to_close = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    all_.barrier();
  };
  const auto sync = [&] {
    share.peak_memory = memory->bytes();
    attempt([&] { write_out(outputs_.directory()); });
    all_.barrier();
  };
  runner_->measure(trial.figures, {.work = work, .sync = sync});
  share.cpu_process = trial.figures.cpu_process;
  share.cpu_whole = trial.figures.cpu_whole;
  share.cpu_stolen = trial.figures.cpu_stolen;
  apply_gates(trial.figures, gate_scope::processors, runner_->place(), 0);
  auto& told = trial.figures.validity == trial_validity::invalid ? share.problems : share.disturbances;
  told.insert(told.end(), trial.figures.reasons.begin(), trial.figures.reasons.end());
  trial.figures.reasons.clear();
  run_on_all(all_, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

// The time in which `auto` chooses is part of its trial.
void sweep_runner::encrypt_share(const sweep_cell& cell, sweep_trial& trial, trial_clock& clock) const {
  const corpus& input = corpora_[cell.corpus];
  if (input.files.empty()) return;  // there are more ranks than files
  encryption_job job{.in = input.directory,
                     .out = output_,
                     .files = input.files,
                     .plan = {.cipher = {.cipher = plan_.cipher, .work = cell.work},
                              .how = cell.how.value_or(strategy::streaming),
                              .threads = cell.threads,
                              .streams = plan_.streams,
                              .files = {.access = plan_.access, .buffer = cell.buffer}},
                     .around_thread = [&](const std::function<void()>& work) {
                       const watched_thread watching = clock.watch_this_thread();
                       work();
                     }};
  if (!cell.how) {
    strategy_choice choice = choose_strategy(job);
    job.plan.how = choice.how;
    trial.why = std::move(choice.why);
  }
  trial.chosen = to_string(job.plan.how);
  encryption_progress done;
  encrypt(job, done);
}

void sweep_runner::check_output(const sweep_cell& cell, sweep_share& share) {
  const corpus& input = corpora_[cell.corpus];
  std::vector<fs::path> all = input.paths;
  for (const input_file& file : input.files) {
    std::error_code failure;
    const std::uint64_t size = fs::file_size(output_ / file.name, failure);
    if (failure) continue;
    share.bytes_out += size;
    all.push_back(output_ / file.name);
  }
  share.page_cache = visible_bytes_in_cache(all);
  if (!share.failure.empty()) return;
  if (share.bytes_out != input.bytes_out) {
    share.problems.push_back(fmt::format("{} has {} bytes, not {}", wrong_output, share.bytes_out, input.bytes_out));
    return;
  }
  const auto known = std::ranges::find(verdicts_, cell, &std::pair<sweep_cell, std::string>::first);
  const std::string verdict =
      known != verdicts_.end() ? known->second : verdicts_.emplace_back(cell, compare_output(cell)).second;
  if (!verdict.empty()) share.problems.push_back(verdict);
}

// Adds to the bytes what each file takes at most for the end of its last block, its inode and its name.
std::uint64_t sweep_runner::bytes_on_disk(const sweep_trial& trial) const {
  constexpr std::uint64_t overhead_per_file = std::uint64_t{16} << 10;
  return trial.figures.bytes_written + overhead_per_file * scale_corpus(plan_, trial.cell.corpus).files;
}

// Compares the output with the first output of the same corpus and work. Returns the problem; empty if there is none.
std::string sweep_runner::compare_output(const sweep_cell& cell) {
  const std::uint64_t checksum = compute_checksum(output_, corpora_[cell.corpus].files);
  const auto [first, is_new] = references_.try_emplace({cell.corpus, cell.work}, reference{checksum, cell});
  if (first->second.checksum == checksum) return {};
  return fmt::format("{} differs from that of {}", wrong_output, describe(first->second.cell));
}

}  // namespace freshet::tool
