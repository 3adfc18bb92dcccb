#include "tool/trial/trial.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <span>
#include <vector>

#include <freshet/error.hpp>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "tool/base/at_once.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/cold.hpp"
#include "tool/trial/clean_start.hpp"
#include "tool/trial/files_to_read.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/meter.hpp"
#include "tool/trial/read_file.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

using paths = std::vector<std::filesystem::path>;
using some_paths = std::span<const std::filesystem::path>;

// Of all files; empty where one does not say.
std::optional<std::uint64_t> count_all_extents(some_paths files) {
  std::uint64_t all = 0;
  for (const auto& path : files) {
    const auto pieces = count_extents(path);
    if (!pieces) return {};
    all += *pieces;
  }
  return all;
}

std::uint64_t bytes_in_cache_of(some_paths files) {
  std::uint64_t all = 0;
  for (const auto& path : files) all += bytes_in_cache(path);
  return all;
}

// Has the page cache take in the files, and again what it lets go of meanwhile; returns how much of them it has.
std::uint64_t warm_up(some_paths files, std::uint64_t bytes_of_each) {
  constexpr int attempts = 3;
  std::uint64_t cached = 0;
  for (int attempt = 0; attempt < attempts && cached < bytes_of_each * files.size(); ++attempt) {
    std::ranges::for_each(files, read_into_cache);
    cached = bytes_in_cache_of(files);
  }
  return cached;
}

// What the trials of one run in one directory share.
class session {
 public:
  explicit session(const std::filesystem::path& directory) : place_{file_system_at(directory)}, scratch_{directory} {}

  trial_result run(const trial_plan& plan);

 private:
  trial_result write(const trial_plan& plan, const block_data* data);
  trial_result read(const trial_plan& plan, const block_data* data);
  void write_all(trial_result& made, some_paths files, const block_data* data);
  bool read_all(trial_result& made, some_paths files, std::uint64_t expected);
  void read_memory(trial_result& made);
  template <typename Work>
  auto measure(trial_result& made, some_paths files, Work work);

  void settle(trial_result& made);
  void make_old_file(const trial_plan& plan, const std::filesystem::path& path);
  bool content_matches(some_paths files, const block_data* data, trial_result& made);
  double ceiling(const trial_plan& plan);
  [[nodiscard]] std::string why_impossible_here(const trial_plan& plan) const;
  [[nodiscard]] bool takes_pages(const trial_plan& plan) const;
  const block_data* data_of(const trial_plan& plan) {
    return plan.workload == workload_kind::blocks ? &blocks(plan.seed) : nullptr;
  }
  const block_data& blocks(std::uint64_t seed) { return blocks_.try_emplace(seed, seed).first->second; }

  detail::os::file_system place_;
  scratch scratch_;
  files_to_read to_read_{scratch_};
  clean_start start_{scratch_.path(), place_.device_name};
  std::map<std::uint64_t, block_data> blocks_;
  std::uint64_t samples_ = 0;
  std::vector<std::pair<trial_plan, double>> ceilings_;
};

trial_result session::run(const trial_plan& plan) {
  const bool reading = reads(plan.what);
  if (const std::string reason = why_impossible_here(plan); !reason.empty())
    throw error{std::make_error_code(std::errc::operation_not_supported), reading ? "read" : "write", scratch_.path(),
                error::no_offset, reason};
  return reading ? read(plan, data_of(plan)) : write(plan, data_of(plan));
}

std::string session::why_impossible_here(const trial_plan& plan) const {
  if (plan.what == io_class::cold && is_in_memory(place_)) return why_never_cold(place_);
  return why_impossible(plan);
}

trial_result session::write(const trial_plan& plan, const block_data* data) {
  paths files;
  for (unsigned job = 0; job < plan.jobs; ++job) files.push_back(scratch_.file(job));
  trial_result made;
  made.plan = plan;
  if (plan.method == "null") {
    write_all(made, files, data);
    return without_files(std::move(made), "null writes no file");
  }
  made.generator_ceiling = ceiling(plan);
  scratch_.clear();
  std::string drop_failure;
  if (plan.target == target_kind::overwrite) {
    for (const auto& path : files) make_old_file(plan, path);
    if (!is_in_memory(place_)) drop_failure = drop_all_pages(files);
  }
  settle(made);
  write_all(made, files, data);
  made.bytes_written = made.bytes + (plan.target == target_kind::overwrite ? plan.size * plan.jobs : 0);
  apply_gates(made, content_matches(files, data, made), place_, drop_failure);
  scratch_.clear();
  return made;
}

trial_result session::read(const trial_plan& plan, const block_data* data) {
  trial_result made;
  made.plan = plan;
  if (plan.method == "null") {
    read_memory(made);
    return without_files(std::move(made), "null reads no file");
  }
  made.generator_ceiling = ceiling(plan);
  const std::uint64_t written_before = to_read_.bytes_written();
  const equal_files& content = to_read_.provide(plan, data);
  made.bytes_written = to_read_.bytes_written() - written_before;
  const auto files = std::span{content.paths}.first(plan.jobs);
  const std::string drop_failure = plan.what == io_class::cold ? drop_all_pages(files) : std::string{};
  settle(made);
  made.bytes_cached = plan.what == io_class::warm ? warm_up(files, content.bytes) : bytes_in_cache_of(files);
  const bool matches = read_all(made, files, content.checksum);
  made.bytes_compared = made.bytes;
  made.extents = count_all_extents(files);
  apply_gates(made, matches, place_, drop_failure);
  return made;
}

// Does `work` on each of the files; returns what came of each.
template <typename Work>
auto session::measure(trial_result& made, some_paths files, Work work) {
  made.started = utc_now();
  std::optional<meter> instruments;
  const auto watched_work = [&](const std::filesystem::path& path) {
    const auto watching = instruments->watch_this_thread();
    return work(path);
  };
  auto results = work_at_once(files, watched_work, [&] { instruments.emplace(place_.device_name, start_.idle()); });
  instruments->closed();
  if (made.plan.what == io_class::none && made.plan.method != "null")
    std::for_each(files.begin(), files.end(), sync_file);
  instruments->finish(made);
  return results;
}

void session::write_all(trial_result& made, some_paths files, const block_data* data) {
  const auto write_one = [&](const auto& path) { return write_file(made.plan, path, data); };
  for (const written_file& file : measure(made, files, write_one)) {
    made.method = file.method;
    made.bytes += file.written.bytes;
    made.lines += file.written.lines;
  }
}

// Whether all that was read has the checksum that is expected.
bool session::read_all(trial_result& made, some_paths files, std::uint64_t expected) {
  bool matches = true;
  for (const read_file_result& file :
       measure(made, files, [&](const auto& path) { return read_file(made.plan, path); })) {
    made.method = file.method;
    made.bytes += file.bytes;
    matches = matches && file.checksum == expected;
  }
  return matches;
}

// The blocks are in memory before the clock starts, as those of a reader are that has read for a while.
void session::read_memory(trial_result& made) {
  std::vector<std::vector<detail::block>> memory(made.plan.jobs);
  for (auto& blocks : memory) blocks = blocks_to_read(made.plan);
  std::atomic<std::size_t> next = 0;
  const auto read_one = [&](const auto&) { return read_blocks(made.plan, memory[next++]); };
  for (const read_file_result& each : measure(made, paths(made.plan.jobs), read_one)) {
    made.method = each.method;
    made.bytes += each.bytes;
  }
}

// Waits until nothing goes on, and has memory be as the plan wants it.
void session::settle(trial_result& made) {
  made.started_quiet = start_.wait();
  if (takes_pages(made.plan)) start_.provide(made.plan.memory, made.plan.size * made.plan.jobs);
}

// Whether the page cache will need memory for it.
bool session::takes_pages(const trial_plan& plan) const {
  if (plan.what == io_class::warm) return false;
  const detail::method_entry* method = detail::find_method(plan.method);
  return method == nullptr || !method->direct || is_in_memory(place_);
}

// Other bytes than those that will be written over it, on the device.
void session::make_old_file(const trial_plan& plan, const std::filesystem::path& path) {
  const trial_plan old{.method = "buffered",
                       .what = io_class::at_close,
                       .workload = workload_kind::blocks,
                       .size = plan.size,
                       .seed = plan.seed + 1};
  static_cast<void>(write_file(old, path, &blocks(old.seed)));
}

// Looks at the files' lengths and ends, and at a sample of what lies between: to read all of it back would take
// longer than to write it, and leave time for half as many trials.
bool session::content_matches(some_paths files, const block_data* data, trial_result& made) {
  constexpr unsigned one_block_in = 8;
  made.extents = count_all_extents(files);
  bool matches = true;
  for (const auto& path : files) {
    const content_check looked = check_content(path, made.plan, data, {one_block_in, ++samples_});
    made.bytes_compared += looked.bytes;
    matches = matches && looked.matches;
  }
  return matches;
}

// MB/s of the plan's generator into `null`, or of the checksum over bytes in memory, by the same blocks; the best of
// three, since the first may start cold.
double session::ceiling(const trial_plan& plan) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 27;
  trial_plan alone{.method = "null",
                   .block = plan.block,
                   .depth = plan.depth,
                   .ordered = plan.ordered,
                   .what = plan.what,
                   .workload = plan.workload,
                   .size = enough,
                   .jobs = plan.jobs,
                   .seed = plan.seed};
  if (!reads(plan.what)) alone.what = io_class::none;
  const auto known = std::ranges::find(ceilings_, alone, &std::pair<trial_plan, double>::first);
  if (known != ceilings_.end()) return known->second;
  double best = 0;
  for (int repetition = 0; repetition < 3; ++repetition) best = std::max(best, run(alone).rate_to_close());
  ceilings_.emplace_back(alone, best);
  return best;
}

}  // namespace

trial_result run_trial(const trial_plan& plan, const std::filesystem::path& directory) {
  static std::map<std::filesystem::path, session> sessions;
  return sessions.try_emplace(std::filesystem::absolute(directory), directory).first->second.run(plan);
}

}  // namespace freshet::tool
