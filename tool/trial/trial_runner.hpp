// The steps that every trial consists of, whatever work it measures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/os/file.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/trial/meter.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Brings the machine's free memory into the state that a trial is to find. An interface, so that tests need not wait
/// for the memory of a real machine.
class memory_preparation {
 public:
  virtual ~memory_preparation() = default;
  /// Makes the next `bytes` of the page cache come from memory in the state `wanted`.
  /// @throws freshet::error; interrupted
  virtual void provide(memory_state wanted, std::uint64_t bytes) = 0;
};

/// The preparation of this machine's memory. It writes a temporary file to `directory`.
[[nodiscard]] std::shared_ptr<memory_preparation> prepare_machine_memory(std::filesystem::path directory);

/// The clock and counters of one trial.
class trial_clock {
 public:
  /// Precondition: all outlive it.
  trial_clock(trial_result& trial, const std::string& device_name, const idle_baseline& idle)
      : trial_{trial}, device_name_{device_name}, idle_{idle} {}

  /// Starts the measurement. The work calls this once, as soon as everything is ready.
  void start(measured_processes processes = {});
  /// Watches the blocks of the calling thread as long as the result lives. Precondition: started.
  [[nodiscard]] block_watch::of_this_thread watch_this_thread() { return meter_->watch_this_thread(); }

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
};

/// The parts of a trial, in the order in which the runner calls them. Parts that are empty are left out.
struct trial_steps {
  struct memory_need {
    memory_state state = memory_state::unbacked;
    std::uint64_t bytes = 0;  ///< of the page cache
  };

  bool wait_until_quiet = true;                     ///< until the device is idle, before anything else
  std::function<void()> prepare = {};               ///< untimed, once the device is idle
  std::optional<memory_need> memory = {};           ///< empty: memory stays as it is
  std::function<void()> warm_up = {};               ///< untimed, the last thing before the work
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

  /// The parts of run(), for trials that several processes make together: the untimed steps before the work, and the
  /// timed ones. The caller applies the gates. @throws as run()
  void prepare(trial_result& trial, const trial_steps& steps);
  void measure(trial_result& trial, const trial_steps& steps);

  [[nodiscard]] const detail::os::file_system& place() const noexcept { return place_; }

 private:
  [[nodiscard]] bool wait_until_quiet();

  std::filesystem::path directory_;
  detail::os::file_system place_;
  std::shared_ptr<memory_preparation> memory_;
  idle_baseline idle_;  // learnt while waiting
};

}  // namespace freshet::tool
