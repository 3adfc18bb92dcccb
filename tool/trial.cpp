#include "trial.hpp"

#include <algorithm>
#include <exception>
#include <latch>
#include <map>
#include <thread>
#include <vector>

#include <freshet/error.hpp>

#include "gates.hpp"
#include "measure/clock.hpp"
#include "measure/memory.hpp"
#include "measure/meter.hpp"
#include "measure/quiet.hpp"
#include "method/registry.hpp"
#include "os/file.hpp"
#include "scratch.hpp"
#include "write_file.hpp"

namespace freshet::tool {
namespace {

using paths = std::vector<std::filesystem::path>;

os::file_system look_at(const std::filesystem::path& directory) {
  std::error_code failure;
  os::file_system place = os::file_system_of(directory, failure);
  if (failure) throw error{failure, "look at", directory};
  return place;
}

// Writes all files at once, a thread each; a single one without a thread. `started` is called when all are ready.
template <typename Start>
std::vector<written_file> write_files(const trial_plan& plan, const paths& files, const block_data* data,
                                      Start started) {
  std::vector<written_file> made(files.size());
  if (files.size() == 1) {
    started();
    made.front() = write_file(plan, files.front(), data);
    return made;
  }
  std::vector<std::exception_ptr> failures(files.size());
  std::latch ready{static_cast<std::ptrdiff_t>(files.size())};
  std::latch go{1};
  std::vector<std::jthread> threads;
  for (std::size_t job = 0; job < files.size(); ++job)
    threads.emplace_back([&, job] {
      ready.count_down();
      go.wait();
      try {
        made[job] = write_file(plan, files[job], data);
      } catch (...) {
        failures[job] = std::current_exception();
      }
    });
  ready.wait();
  started();
  go.count_down();
  threads.clear();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return made;
}

// What the trials of one run in one directory share.
class session {
 public:
  explicit session(const std::filesystem::path& directory) : place_{look_at(directory)}, scratch_{directory} {}

  trial run(const trial_plan& plan);

 private:
  trial measure(const trial_plan& plan, const paths& files, const block_data* data);
  void prepare(const trial_plan& plan, const paths& files, trial& made);
  void make_old_file(const trial_plan& plan, const std::filesystem::path& path);
  bool content_matches(const paths& files, const block_data* data, trial& made);
  double ceiling(const trial_plan& plan);
  [[nodiscard]] bool uses_page_cache(const trial_plan& plan) const;
  const block_data& blocks(std::uint64_t seed) { return blocks_.try_emplace(seed, seed).first->second; }

  os::file_system place_;
  scratch scratch_;
  idle_baseline idle_;
  memory_in_use memory_;  // in which no trial's file may lie
  std::map<std::uint64_t, block_data> blocks_;
  std::uint64_t samples_ = 0;
  std::vector<std::pair<trial_plan, double>> ceilings_;
};

trial session::run(const trial_plan& plan) {
  if (const std::string reason = why_impossible(plan); !reason.empty())
    throw error{std::make_error_code(std::errc::operation_not_supported), "write", scratch_.path(), error::no_offset,
                reason};
  const block_data* data = plan.workload == workload_kind::blocks ? &blocks(plan.seed) : nullptr;
  paths files;
  for (unsigned job = 0; job < plan.jobs; ++job) files.push_back(scratch_.file(job));

  const double generator = ceiling(plan);
  trial made = measure(plan, files, data);
  if (made.method == "null") {
    made.verdict = validity::unknown;
    made.reasons = {"null writes no file"};
    return made;
  }
  made.generator_ceiling = generator;
  judge(made, content_matches(files, data, made), place_);
  scratch_.clear();
  return made;
}

trial session::measure(const trial_plan& plan, const paths& files, const block_data* data) {
  trial made;
  made.plan = plan;
  const bool writes_files = plan.method != "null";
  if (writes_files) prepare(plan, files, made);
  made.started = utc_now();
  std::optional<meter> instruments;
  const auto written = write_files(plan, files, data, [&] { instruments.emplace(place_.device_name, idle_); });
  instruments->closed();
  if (writes_files && plan.durability == durability::none) std::for_each(files.begin(), files.end(), sync_file);
  instruments->finish(made);
  made.method = written.front().method;
  for (const written_file& file : written) {
    made.bytes += file.written.bytes;
    made.lines += file.written.lines;
  }
  return made;
}

void session::prepare(const trial_plan& plan, const paths& files, trial& made) {
  constexpr double enough = 0.5;
  scratch_.clear();
  if (plan.target == target_kind::overwrite)
    for (const auto& path : files) make_old_file(plan, path);
  do {
    made.started_quiet = wait_until_quiet(scratch_.path(), place_.device_name, idle_);
  } while (made.started_quiet && !place_.device_name.empty() && idle_.seconds() < enough);
  if (!uses_page_cache(plan)) return;
  if (plan.memory == memory_state::rested) {
    memory_.take_what_is_at_hand();
  } else {
    memory_.release();
    free_memory_at_once(scratch_.path(), plan.size * plan.jobs);
  }
}

bool session::uses_page_cache(const trial_plan& plan) const {
  const method_entry* method = find_method(plan.method);
  // Of a file system in memory, all that a file is made of are such pages.
  return method == nullptr || !method->direct || place_.type == "tmpfs" || place_.type == "ramfs";
}

// Other bytes than those that will be written over it, on the device and not in memory.
void session::make_old_file(const trial_plan& plan, const std::filesystem::path& path) {
  const trial_plan old{.method = "buffered",
                       .durability = durability::at_close,
                       .workload = workload_kind::blocks,
                       .size = plan.size,
                       .seed = plan.seed + 1};
  static_cast<void>(write_file(old, path, &blocks(old.seed)));
  std::error_code failure;
  os::file file = os::file::open(path, {.what = os::open_request::disposition::existing}, failure);
  if (!failure) file.advise(os::advice::dont_need, 0, 0, failure);
  if (failure) throw error{failure, "evict", path};
}

// Looks at the files' lengths and ends, and at a sample of what lies between: to read all of it back would take
// longer than to write it, and leave time for half as many trials.
bool session::content_matches(const paths& files, const block_data* data, trial& made) {
  constexpr unsigned one_block_in = 8;
  made.extents = 0;
  bool matches = true;
  for (const auto& path : files) {
    const auto pieces = count_extents(path);
    if (!pieces || !made.extents)
      made.extents.reset();
    else
      *made.extents += *pieces;
    const content_check looked = check_content(path, made.plan, data, {one_block_in, ++samples_});
    made.bytes_compared += looked.bytes;
    matches = matches && looked.matches;
  }
  return matches;
}

// MB/s of the plan's generator into `null`, by the same blocks; the best of three, since the first may start cold.
double session::ceiling(const trial_plan& plan) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 27;
  trial_plan alone{.method = "null",
                   .block = plan.block,
                   .depth = plan.depth,
                   .ordered = plan.ordered,
                   .workload = plan.workload,
                   .size = enough,
                   .jobs = plan.jobs,
                   .seed = plan.seed};
  const auto known =
      std::find_if(ceilings_.begin(), ceilings_.end(), [&](const auto& entry) { return entry.first == alone; });
  if (known != ceilings_.end()) return known->second;
  const block_data* data = plan.workload == workload_kind::blocks ? &blocks(plan.seed) : nullptr;
  paths files(plan.jobs, scratch_.file(0));
  double best = 0;
  for (int repetition = 0; repetition < 3; ++repetition)
    best = std::max(best, measure(alone, files, data).rate_to_close());
  ceilings_.emplace_back(alone, best);
  return best;
}

}  // namespace

trial run_trial(const trial_plan& plan, const std::filesystem::path& directory) {
  static std::map<std::filesystem::path, session> sessions;
  return sessions.try_emplace(std::filesystem::absolute(directory), directory).first->second.run(plan);
}

}  // namespace freshet::tool
