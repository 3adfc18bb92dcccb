// All instruments of a trial, read together.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "src/os/file.hpp"
#include "tool/measure/block_watch.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/neighbours.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/throttle.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Measures from its making on; the clock is the last to start and the first to be read.
class meter {
 public:
  /// `own`: processes at the same work, whose writes are not another's. `worker`: the child process that does the work,
  /// where it is not this one; it must live until finish(). Precondition: `idle` outlives it.
  meter(const std::string& device_name, const idle_baseline& idle, std::set<int> own = {},
        std::optional<int> worker = {});

  /// As long as what it returns lives, the blocks of the thread that asked are watched.
  [[nodiscard]] block_watch::of_this_thread watch_this_thread() { return block_watch::of_this_thread{blocks_}; }

  /// The program may go on.
  void closed() { to_close_ = watch_.seconds(); }
  /// The device has everything: enters what was measured in `made`.
  void finish(trial_result& made) const;

 private:
  [[nodiscard]] process_counters counters() const;
  void enter_throttling(trial_result& made) const;

  neighbours neighbours_;  // looks at all processes: first, and last when read
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

/// Pieces that the file lies in on the device: extents that follow one another there count as one. Empty where the file
/// system does not say.
[[nodiscard]] std::optional<std::uint64_t> count_extents(const std::filesystem::path& path);

}  // namespace freshet::tool
