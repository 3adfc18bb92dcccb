#include "tool/measure/run_queue.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

// "nanoseconds run, nanoseconds waited, slices" (Documentation/scheduler/sched-stats.rst).
std::optional<std::uint64_t> read_run_delay(const std::filesystem::path& thread) {
  std::ifstream in{thread / "schedstat"};
  std::uint64_t run = 0;
  std::uint64_t waited = 0;
  if (!(in >> run >> waited)) return {};
  return waited;
}

std::filesystem::path find_tasks(std::optional<int> process) {
  return process ? std::filesystem::path{"/proc"} / std::to_string(*process) / "task" : "/proc/self/task";
}

}  // namespace

std::map<int, std::uint64_t> read_run_delays(const std::filesystem::path& task) {
  std::map<int, std::uint64_t> delays;
  for (const int thread : list_processes(task))
    if (const auto waited = read_run_delay(task / std::to_string(thread))) delays[thread] = *waited;
  return delays;
}

run_queue_meter::run_queue_meter(std::optional<int> other)
    : task_{find_tasks(other)}, before_{read_run_delays(task_)} {}

std::optional<run_queue_wait> run_queue_meter::waited() const {
  if (before_.empty()) return {};
  const std::lock_guard lock{mutex_};
  std::map<int, std::uint64_t> waits = watched_;  // of threads that may have ended
  for (const auto& [thread, delay] : read_run_delays(task_)) {
    const auto earlier = before_.find(thread);
    // A thread that is new starts at zero; so does one whose id belonged to another.
    waits[thread] = delay - (earlier == before_.end() || earlier->second > delay ? 0 : earlier->second);
  }
  run_queue_wait result;
  for (const auto& [thread, nanoseconds] : waits) {
    const double seconds = static_cast<double>(nanoseconds) * 1e-9;
    result.longest = std::max(result.longest, seconds);
    result.all += seconds;
  }
  return result;
}

run_queue_meter::of_this_thread::of_this_thread(run_queue_meter& all)
    : all_{all}, before_{read_run_delay("/proc/thread-self").value_or(0)} {}

run_queue_meter::of_this_thread::~of_this_thread() {
  const std::uint64_t delay = read_run_delay("/proc/thread-self").value_or(before_);
  const std::lock_guard lock{all_.mutex_};
  all_.watched_[::gettid()] += delay - before_;
}

}  // namespace freshet::tool
