// How long threads that were ready to run had to wait for a processor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

namespace freshet::tool {

/// Nanoseconds for which each thread of a process has waited in a run queue, by thread id (the second figure of
/// schedstat); empty if the kernel does not count them. `task` is the process's directory of threads.
[[nodiscard]] std::map<int, std::uint64_t> read_run_delays(const std::filesystem::path& task = "/proc/self/task");

/// Seconds that threads waited for a processor.
struct run_queue_wait {
  double longest = 0;  ///< of the thread that waited longest
  double all = 0;      ///< of all threads together

  /// The part of `longest` that others caused, who had `others` seconds of CPU time on `processors` processors
  /// meanwhile. Threads of the same work wait for one another as well: what all of them lose at the same time, others
  /// take only once.
  [[nodiscard]] double caused_by(double others, unsigned processors) const;
};

/// Measures from its construction on.
class run_queue_meter {
 public:
  /// Measures this process, or the process `other`.
  explicit run_queue_meter(std::optional<int> other = {});

  /// Counts what the thread that constructs it waits until it is destroyed, because nobody can ask a thread that has
  /// ended.
  class of_this_thread {
   public:
    /// Precondition: `all` outlives it.
    explicit of_this_thread(run_queue_meter& all);
    of_this_thread(const of_this_thread&) = delete;
    of_this_thread& operator=(const of_this_thread&) = delete;
    ~of_this_thread();

   private:
    run_queue_meter& all_;
    std::uint64_t before_ = 0;
  };

  /// What the threads have waited so far; empty if the kernel does not count it.
  [[nodiscard]] std::optional<run_queue_wait> waited() const;

 private:
  std::filesystem::path task_;
  std::map<int, std::uint64_t> before_;
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> watched_;  // what the threads that were watched waited meanwhile, by thread id
};

}  // namespace freshet::tool
