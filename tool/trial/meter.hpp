// All instruments of a trial, read together.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "src/os/file.hpp"
#include "tool/measure/block_watch.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/other_writers.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/throttle.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The processes at a trial's work, if it is not this one alone.
struct measured_processes {
  std::set<int> own = {};          ///< process ids at the same work: their writes are not those of others
  std::optional<int> worker = {};  ///< the child process that does the work; it must live until meter::finish()
};

/// Measures from its construction on; the clock is the last to start and the first to be read.
class meter {
 public:
  /// Precondition: `idle` outlives it.
  meter(const std::string& device_name, const idle_baseline& idle, measured_processes processes = {});

  /// Watches the blocks of the calling thread as long as the result lives.
  [[nodiscard]] block_watch::of_this_thread watch_this_thread() { return block_watch::of_this_thread{blocks_}; }

  /// Notes the time to close: the program may go on.
  void closed() { to_close_ = watch_.seconds(); }
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
  std::optional<detail::os::device_counters> device_;
  process_counters process_;
  cpu_meter cpu_;
  block_watch blocks_;
  double to_close_ = 0;
  stopwatch watch_;
};

/// Counts the pieces that the file consists of on the device: extents that follow one another there count as one. Empty
/// if the file system does not say.
[[nodiscard]] std::optional<std::uint64_t> count_extents(const std::filesystem::path& path);

}  // namespace freshet::tool
