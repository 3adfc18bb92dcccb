#include "tool/trial/file_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <latch>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tool/base/forked.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/measure/cold.hpp"
#include "tool/trial/files_to_read.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/read_file.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

using paths = std::vector<std::filesystem::path>;
using path_span = std::span<const std::filesystem::path>;

// Calls `work` for all files at the same time, in a thread for each; for a single file, without a thread. Calls
// `started` when all threads are ready. Returns the results in the order of the files. @throws the first exception of
// `work`, after all threads have ended
template <typename Work, typename Start>
auto run_in_parallel(std::span<const std::filesystem::path> files, Work work, Start started) {
  std::vector<std::invoke_result_t<Work, const std::filesystem::path&>> results(files.size());
  if (files.size() == 1) {
    started();
    results.front() = work(files.front());
    return results;
  }
  std::vector<std::exception_ptr> failures(files.size());
  std::latch ready{static_cast<std::ptrdiff_t>(files.size())};
  std::latch go{1};
  bool complete = false;  // whether all threads could be started
  std::vector<std::jthread> threads;
  const auto start_all = [&] {
    for (std::size_t job = 0; job < files.size(); ++job)
      threads.emplace_back([&, job] {
        ready.count_down();
        go.wait();
        if (!complete) return;
        try {
          results[job] = work(files[job]);
        } catch (...) {
          failures[job] = std::current_exception();
        }
      });
    ready.wait();
    complete = true;
  };
  try {
    start_all();
    started();
  } catch (...) {
    complete = false;
    go.count_down();  // those that wait would wait for ever
    throw;
  }
  go.count_down();
  threads.clear();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return results;
}

// The extents of all files; empty if the file system does not tell those of each.
std::optional<std::uint64_t> count_all_extents(path_span files) {
  std::uint64_t all = 0;
  for (const auto& path : files) {
    const auto pieces = count_extents(path);
    if (!pieces) return {};
    all += *pieces;
  }
  return all;
}

bool has_way_for(const file_system_profile* entry, io_class measured_class) {
  if (entry == nullptr) return false;
  if (reads(measured_class))
    return measured_class == io_class::cold ? entry->cold.has_value() : entry->warm.has_value();
  return entry->winners.at(static_cast<std::size_t>(durability_of(measured_class))).has_value();
}

// Plans that bypass the page cache meet the same memory as the others: trials that met different memory are never
// compared, and their blocks come from it, too.
std::optional<trial_steps::memory_need> find_memory_need(const resolved_plan& plan) {
  if (plan.measured_class == io_class::warm) return {};
  return trial_steps::memory_need{plan.memory, plan.size * plan.jobs};
}

void enter(trial_result& trial, const std::vector<written_file>& files) {
  for (const written_file& file : files) {
    trial.method = file.method;
    trial.bytes += file.written.bytes;
    trial.lines += file.written.lines;
  }
}

void enter(trial_result& trial, const std::vector<read_file_result>& files) {
  for (const read_file_result& file : files) {
    trial.method = file.method;
    trial.bytes += file.bytes;
  }
}

// Does `work` on each of the files at once, a thread each; returns the results.
template <typename Work>
auto work_on_all(trial_clock& clock, path_span files, Work work) {
  const auto watched_work = [&](const std::filesystem::path& path) {
    const auto watching = clock.watch_this_thread();
    return work(path);
  };
  return run_in_parallel(files, watched_work, [&] { clock.start(); });
}

}  // namespace

// What the trials of one run in one directory share.
class file_runner::session {
 public:
  session(const std::filesystem::path& directory, detail::os::file_system place,
          std::shared_ptr<memory_preparation> memory, double patience, trial_process process)
      : scratch_{directory},
        runner_{scratch_.path(), std::move(place),
                memory ? std::move(memory) : prepare_machine_memory(scratch_.path(), patience)},
        process_{process} {}

  trial_result run(const resolved_plan& plan);
  void use_profile(const file_system_profile& entry) noexcept { entry_ = &entry; }
  void read_back_all() noexcept { reads_back_ = true; }

 private:
  trial_result write(const resolved_plan& plan, const block_data* data);
  void write_earlier(const resolved_plan& plan, const block_data* data);
  trial_result read(const resolved_plan& plan, const block_data* data);
  trial_result write_nothing(const resolved_plan& plan, const block_data* data);
  trial_result read_memory(const resolved_plan& plan);
  void run(trial_result& trial, const trial_steps& steps);

  [[nodiscard]] paths name_files(unsigned jobs) const;
  void write_old_file(const trial_plan& plan, const std::filesystem::path& path);
  bool check_files(path_span files, const resolved_plan& plan, const block_data* data, trial_result& trial) const;
  double measure_ceiling(const resolved_plan& plan);
  [[nodiscard]] std::string why_impossible_here(const resolved_plan& plan) const;
  [[nodiscard]] std::function<void()> learn_from(prior_state prior, std::function<void()> earlier_file) const;
  const block_data* find_data(const trial_plan& plan) {
    if (!find_workload(plan.workload).needs_data) return nullptr;
    const bool at_once = plan.block > block_data::length;
    return &make_blocks(plan.seed, at_once ? static_cast<std::size_t>(plan.size) : block_data::length);
  }
  const block_data& make_blocks(std::uint64_t seed, std::size_t bytes = block_data::length) {
    return blocks_.try_emplace({seed, bytes}, seed, bytes).first->second;
  }

  scratch scratch_;
  files_to_read to_read_{scratch_};
  trial_runner runner_;
  trial_process process_;
  bool reads_back_ = false;
  const file_system_profile* entry_ = nullptr;  // of the profile that a trial is to use; null: the one in force
  std::map<std::pair<std::uint64_t, std::size_t>, block_data> blocks_;
  std::uint64_t samples_ = 0;
  std::vector<std::pair<trial_plan, double>> ceilings_;
};

trial_result file_runner::session::run(const resolved_plan& plan) {
  const bool reading = reads(plan.measured_class);
  if (const std::string reason = why_impossible_here(plan); !reason.empty())
    refuse(std::errc::operation_not_supported, reading ? "read" : "write", scratch_.path(), reason);
  if (plan.method == "null") return reading ? read_memory(plan) : write_nothing(plan, find_data(plan));
  return reading ? read(plan, find_data(plan)) : write(plan, find_data(plan));
}

// The work, with the checks of its files, in the process that the runner was made for. What others have to be prepared
// for, such as a device that stays busy, is learnt here.
void file_runner::session::run(trial_result& trial, const trial_steps& steps) {
  if (process_ == trial_process::shared) return runner_.run(trial, steps);
  runner_.prepare(trial, steps);
  const nlohmann::json result = run_forked([&] {
    runner_.measure_and_judge(trial, steps);
    return nlohmann::json(trial);
  });
  result.get_to(trial);
}

std::string file_runner::session::why_impossible_here(const resolved_plan& plan) const {
  if (plan.measured_class == io_class::cold && is_in_memory(runner_.place())) return why_never_cold(runner_.place());
  std::string reason = why_impossible(plan);
  if (reason.empty() && plan.prior == prior_state::profile && entry_ == nullptr &&
      !has_way_for(detail::read_profiles().find(runner_.place().key).entry, plan.measured_class))
    reason = fmt::format("no profile has a way for the class {} here; freshet tune finds one",
                         to_string(plan.measured_class));
  return reason;
}

// What a trial's process does before the work, so that it knows what the plan says. `earlier_file` writes, or reads, a
// file of the same kind.
std::function<void()> file_runner::session::learn_from(prior_state prior, std::function<void()> earlier_file) const {
  if (prior == prior_state::process) return earlier_file;
  if (prior == prior_state::none || entry_ == nullptr) return {};
  return [entry = *entry_] {
    profile only;
    only.file_systems.emplace(entry.key, entry);
    detail::use_profile(std::move(only));
  };
}

// Nothing of it is left to be written when the next one begins.
void file_runner::session::write_earlier(const resolved_plan& plan, const block_data* data) {
  const std::filesystem::path path = scratch_.file(plan.jobs);
  static_cast<void>(write_file(plan, path, data));
  sync_file(path);
  std::filesystem::remove(path);
}

trial_result file_runner::session::write(const resolved_plan& plan, const block_data* data) {
  const bool overwrites = plan.target == target_kind::overwrite;
  const paths files = name_files(plan.jobs);
  trial_result trial;
  trial.plan = plan.plan();
  trial.generator_ceiling = measure_ceiling(plan);
  scratch_.clear();
  file_evidence evidence;
  if (overwrites) {
    for (const auto& path : files) write_old_file(plan, path);
    if (!is_in_memory(runner_.place())) evidence.drop_failure = drop_all_pages(files);
  }
  std::vector<written_file> written;
  trial_steps steps{.memory = find_memory_need(plan),
                    .learn = learn_from(plan.prior, [&] { write_earlier(plan, data); }),
                    .work =
                        [&](trial_clock& clock) {
                          written =
                              work_on_all(clock, files, [&](const auto& path) { return write_file(plan, path, data); });
                        },
                    .check_files =
                        [&] {
                          enter(trial, written);
                          trial.page_cache = visible_bytes_in_cache(files);
                          trial.bytes_written = trial.bytes + compute_bytes_written(plan) - plan.size * plan.jobs;
                          evidence.content_matches = check_files(files, plan, data, trial);
                          return evidence;
                        }};
  if (plan.measured_class == io_class::none) steps.sync = [&] { std::ranges::for_each(files, sync_file); };
  samples_ += plan.jobs;
  run(trial, steps);
  if (reads_back_ && !is_in_memory(runner_.place())) trial.cold_read = measure_cold_read(files.front());
  scratch_.clear();
  return trial;
}

trial_result file_runner::session::read(const resolved_plan& plan, const block_data* data) {
  const bool cold = plan.measured_class == io_class::cold;
  trial_result trial;
  trial.plan = plan.plan();
  trial.generator_ceiling = measure_ceiling(plan);
  const std::uint64_t written_before = to_read_.bytes_written();
  trial_plan needed = plan.plan();
  if (plan.prior == prior_state::process) ++needed.jobs;  // one that is read before
  const equal_files& content = to_read_.provide(needed, data);
  trial.bytes_written = to_read_.bytes_written() - written_before;
  const auto all_files = std::span{content.paths}.first(needed.jobs);
  const auto files = all_files.first(plan.jobs);
  file_evidence evidence;
  if (cold) evidence.drop_failure = drop_all_pages(all_files);
  std::vector<read_file_result> results;
  run(trial, {.memory = find_memory_need(plan),
              .warm_up = [&] { trial.bytes_cached = cold ? bytes_in_cache(files) : warm_up(files); },
              .learn = learn_from(plan.prior, [&] { static_cast<void>(read_file(plan, all_files.back())); }),
              .work =
                  [&](trial_clock& clock) {
                    results = work_on_all(clock, files, [&](const auto& path) { return read_file(plan, path); });
                  },
              .check_files =
                  [&] {
                    enter(trial, results);
                    trial.page_cache = visible_bytes_in_cache(files);
                    trial.bytes_compared = trial.bytes;
                    trial.extents = count_all_extents(files);
                    evidence.content_matches = std::ranges::all_of(
                        results, [&](const read_file_result& each) { return each.checksum == content.checksum; });
                    return evidence;
                  }});
  return trial;
}

trial_result file_runner::session::write_nothing(const resolved_plan& plan, const block_data* data) {
  trial_result trial;
  trial.plan = plan.plan();
  const paths files = name_files(plan.jobs);
  const auto write_one = [&](const auto& path) { return write_file(plan, path, data); };
  runner_.run(trial, {.wait_until_quiet = false,
                      .work = [&](trial_clock& clock) { enter(trial, work_on_all(clock, files, write_one)); }});
  return without_files(std::move(trial), "null writes no file");
}

// The blocks are in memory before the clock starts, as in a reader that has read for a while.
trial_result file_runner::session::read_memory(const resolved_plan& plan) {
  trial_result trial;
  trial.plan = plan.plan();
  std::vector<std::vector<detail::block>> memory(plan.jobs);
  for (auto& blocks : memory) blocks = blocks_to_read(plan);
  std::atomic<std::size_t> next = 0;
  const auto read_one = [&](const auto&) { return read_blocks(plan, memory[next++]); };
  runner_.run(trial, {.wait_until_quiet = false, .work = [&](trial_clock& clock) {
                        enter(trial, work_on_all(clock, paths(plan.jobs), read_one));
                      }});
  return without_files(std::move(trial), "null reads no file");
}

paths file_runner::session::name_files(unsigned jobs) const {
  paths files;
  for (unsigned job = 0; job < jobs; ++job) files.push_back(scratch_.file(job));
  return files;
}

// Writes other bytes than those that will overwrite them, and has them on the device.
void file_runner::session::write_old_file(const trial_plan& plan, const std::filesystem::path& path) {
  const trial_plan old{.method = "buffered",
                       .measured_class = io_class::at_close,
                       .workload = workload_kind::blocks,
                       .size = plan.size,
                       .seed = plan.seed + 1};
  static_cast<void>(write_file(old, path, &make_blocks(old.seed)));
}

bool file_runner::session::check_files(path_span files, const resolved_plan& plan, const block_data* data,
                                       trial_result& trial) const {
  trial.extents = count_all_extents(files);
  bool all_match = true;
  std::uint64_t sample = samples_;
  for (const auto& path : files) {
    const content_check check = check_content(path, plan, data, {checked_block_of, sample--});
    trial.bytes_compared += check.bytes;
    all_match = all_match && check.matches;
  }
  return all_match;
}

// MB/s of the plan's generator into `null`, or of the checksum over bytes in memory, with the same blocks; the best of
// three, since the first may start cold.
double file_runner::session::measure_ceiling(const resolved_plan& plan) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 27;
  trial_plan alone{.method = "null",
                   .block = plan.program == nullptr ? plan.block : 0,  // of programs, any number of bytes
                   .depth = plan.depth,
                   .ordered = plan.ordered,
                   .measured_class = plan.measured_class,
                   .workload = plan.workload,
                   .size = enough,
                   .jobs = plan.jobs,
                   .seed = plan.seed};
  if (!reads(plan.measured_class)) alone.measured_class = io_class::none;
  const auto known = std::ranges::find(ceilings_, alone, &std::pair<trial_plan, double>::first);
  if (known != ceilings_.end()) return known->second;
  double best = 0;
  for (int repetition = 0; repetition < 3; ++repetition) best = std::max(best, run(alone).rate_to_close());
  ceilings_.emplace_back(alone, best);
  return best;
}

file_runner::file_runner(std::filesystem::path directory, std::shared_ptr<memory_preparation> memory,
                         trial_process process)
    : directory_{std::move(directory)}, memory_{std::move(memory)}, process_{process} {}

file_runner::file_runner(std::filesystem::path directory, double patience)
    : directory_{std::move(directory)}, patience_{patience} {}

file_runner::~file_runner() = default;

trial_result file_runner::run(const trial_plan& plan) {
  if (!session_) {
    session_ = std::make_unique<session>(directory_, file_system_at(directory_), memory_, patience_, process_);
    if (reads_back_) session_->read_back_all();
  }
  if (profile_) session_->use_profile(*profile_);
  return session_->run(plan);
}

}  // namespace freshet::tool
