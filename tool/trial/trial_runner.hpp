// The steps that every trial consists of, whatever work it measures, and all its instruments, read together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/measure/block_watch.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/other_writers.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/run_queue.hpp"
#include "tool/measure/throttle.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The processes at a trial's work, if it is not this one alone.
struct measured_processes {
  std::set<int> own = {};          ///< process ids at the same work: their writes are not those of others
  std::optional<int> worker = {};  ///< the child process that does the work; it must live until meter::finish()
};

/// What is measured of a thread while it works.
struct watched_thread {
  block_watch::of_this_thread blocks;
  run_queue_meter::of_this_thread run_queue;
};

/// Measures from its construction on; the clock is the last to start and the first to be read.
class meter {
 public:
  /// Precondition: `idle` outlives it.
  meter(const std::string& device_name, const idle_baseline& idle, measured_processes processes = {});

  /// Watches the blocks of the calling thread, and its waits for a processor, as long as the result lives.
  [[nodiscard]] watched_thread watch_this_thread() {
    return {block_watch::of_this_thread{blocks_}, run_queue_meter::of_this_thread{run_queue_}};
  }

  /// Notes the time to close: the program may go on.
  void closed() {
    to_close_ = watch_.seconds();
    waited_ = run_queue_.waited();
  }
  /// Whether a child process does the work.
  [[nodiscard]] bool has_worker() const noexcept { return worker_.has_value(); }
  /// Notes the time to disk, and enters all that was measured in `trial`.
  void finish(trial_result& trial) const;

 private:
  [[nodiscard]] process_counters counters() const;
  void enter_throttling(trial_result& trial) const;

  other_writers other_writers_;  // looks at all processes, which takes time: started first, read last
  throttle_reader throttle_;
  throttle_counters throttled_before_;
  std::string device_name_;
  std::optional<int> worker_;
  bool is_alone_;  // no other process of the same work has the processors
  std::optional<detail::os::device_counters> device_;
  process_counters process_;
  cpu_meter cpu_;
  run_queue_meter run_queue_;
  block_watch blocks_;
  double to_close_ = 0;
  std::optional<run_queue_wait> waited_;
  stopwatch watch_;
};

/// Counts the pieces that the file consists of on the device: extents that follow one another there count as one. Empty
/// if the file system does not say.
[[nodiscard]] std::optional<std::uint64_t> count_extents(const std::filesystem::path& path);

/// Brings the machine's free memory into the state that a trial is to find. An interface, so that tests need not wait
/// for the memory of a real machine.
class memory_preparation {
 public:
  virtual ~memory_preparation() = default;
  /// Makes the next `bytes` of the page cache come from memory in the state `wanted`.
  /// @throws freshet::error; interrupted
  virtual void provide(memory_state wanted, std::uint64_t bytes) = 0;
};

/// Seconds for bringing memory to rest, in all trials of a run together, where nothing else is said.
inline constexpr double usual_patience = 30;

/// The preparation of this machine's memory. It writes a temporary file to `directory`.
/// @param patience  seconds for bringing memory to rest, all calls together
[[nodiscard]] std::shared_ptr<memory_preparation> prepare_machine_memory(std::filesystem::path directory,
                                                                         double patience = usual_patience);

/// The clock and counters of one trial.
class trial_clock {
 public:
  /// Precondition: all outlive it.
  trial_clock(trial_result& trial, const std::string& device_name, const idle_baseline& idle)
      : trial_{trial}, device_name_{device_name}, idle_{idle} {}

  /// Starts the measurement. The work calls this once, as soon as everything is ready.
  void start(measured_processes processes = {});
  /// Watches the blocks of the calling thread, and its waits for a processor, as long as the result lives.
  /// Precondition: started.
  [[nodiscard]] watched_thread watch_this_thread() { return meter_->watch_this_thread(); }

 private:
  friend class trial_runner;

  trial_result& trial_;
  const std::string& device_name_;
  const idle_baseline& idle_;
  std::optional<meter> meter_;
};

/// What a runner found out about a trial's files; the gates judge it.
struct file_evidence {
  bool content_matches = true;    ///< the files, or what was read of them, hold what they should
  std::string drop_failure = {};  ///< why cached pages could not be dropped before the trial; empty: they were
  work_method method = {};        ///< how the work moved its bytes, unless plan and trial say so
};

/// The parts of a trial, in the order in which the runner calls them. Parts that are empty are left out.
struct trial_steps {
  struct memory_need {
    memory_state state = memory_state::unbacked;
    std::uint64_t bytes = 0;  ///< of the page cache
  };

  bool first_file = true;  ///< the pool of blocks is empty and nothing is known of the device, as in a new program
  bool wait_until_quiet = true;                     ///< until the device is idle, before anything else
  std::function<void()> prepare = {};               ///< untimed, once the device is idle
  std::optional<memory_need> memory = {};           ///< empty: memory stays as it is
  std::function<void()> warm_up = {};               ///< untimed, the last thing before the work
  std::function<void()> learn = {};                 ///< untimed, in the process of the work: what it is to know before
  std::function<void(trial_clock& clock)> work;     ///< calls clock.start(); timed to close from there on
  std::function<void()> sync = {};                  ///< timed to disk
  std::function<file_evidence()> check_files = {};  ///< untimed; empty: the caller applies the gates
};

/// Runs trials in one directory, one after another.
class trial_runner {
 public:
  /// Trials take place in `directory`, on the file system `place`; without `memory`, that of the machine is prepared.
  trial_runner(std::filesystem::path directory, detail::os::file_system place,
               std::shared_ptr<memory_preparation> memory = {});

  /// Carries out `steps` and enters what was measured, and what the gates found, in `trial`.
  /// @throws freshet::error; interrupted; what a step throws
  void run(trial_result& trial, const trial_steps& steps);

  /// The parts of run(), for trials that other processes make, too: the untimed steps before the work, and the timed
  /// ones. The caller applies the gates. @throws as run()
  void prepare(trial_result& trial, const trial_steps& steps);
  void measure(trial_result& trial, const trial_steps& steps);
  /// measure(), then the checks and the gates.
  void measure_and_judge(trial_result& trial, const trial_steps& steps);

  [[nodiscard]] const detail::os::file_system& place() const noexcept { return place_; }

 private:
  static constexpr double longest_wait = 3;  // seconds for the device to become idle
  static constexpr double shortest_wait = 0.2;

  [[nodiscard]] bool wait_until_quiet();

  std::filesystem::path directory_;
  detail::os::file_system place_;
  std::shared_ptr<memory_preparation> memory_;
  std::optional<first_touch> touched_;  // from the preparation of a trial to its end
  idle_baseline idle_;                  // learnt while waiting
  double patience_ = longest_wait;
};

}  // namespace freshet::tool
