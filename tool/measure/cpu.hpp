// All CPU time that a piece of work takes: in this process, and in the kernel on its behalf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace freshet::tool {

/// Seconds of CPU time.
struct cpu_usage {
  double process = 0;  ///< all threads of the working process, including the kernel's io workers for it
  double whole = 0;    ///< also the kernel's own threads (writeback, journal) and its interrupts; at least `process`
  double stolen = 0;   ///< time that the hypervisor gave to others while there was work here
  double others = 0;   ///< of other processes, and of the kernel's threads where they cannot be seen, in ticks of 10 ms
};

/// Seconds of CPU time since boot, summed over all processors (/proc/stat), counted in ticks of 10 ms: precise enough
/// for seconds of work, too coarse for less.
struct machine_cpu {
  double busy = 0;        ///< without idle time, waiting for I/O, and what the hypervisor took
  double interrupts = 0;  ///< part of `busy`
  double stolen = 0;      ///< by the hypervisor
};
[[nodiscard]] machine_cpu read_machine_cpu(const std::filesystem::path& proc = "/proc");

/// Nanoseconds that each of the kernel's own threads has run, by thread id; empty if a container hides them.
[[nodiscard]] std::map<int, std::uint64_t> read_kernel_threads();

/// What the machine does when this process does nothing, in CPU seconds per second. It is measured while we wait.
class idle_baseline {
 public:
  /// Starts a measurement; discards one that was started but not stopped.
  void start();
  /// Ends the measurement. Call this only if nothing happened since start().
  void stop();
  /// Seconds measured so far.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }
  [[nodiscard]] double busy_rate() const noexcept { return seconds_ > 0 ? sum_.busy / seconds_ : 0; }
  [[nodiscard]] double interrupt_rate() const noexcept { return seconds_ > 0 ? sum_.interrupts / seconds_ : 0; }

 private:
  machine_cpu before_;
  double process_before_ = 0;
  double clock_before_ = 0;
  machine_cpu sum_;
  double seconds_ = 0;
};

/// Measures from its construction to stop().
///
/// If the kernel's threads can be seen, `whole` is exact but for interrupts: this process and the kernel's threads, to
/// the nanosecond, and interrupts in ticks, less their idle baseline; other processes are not in it. Otherwise it is
/// the machine's busy ticks less the idle baseline, which is coarse, and correct only if no other process works.
class cpu_meter {
 public:
  /// With `other`, also measures that process and the children that it has waited for.
  explicit cpu_meter(const idle_baseline& idle, std::optional<int> other = {});
  [[nodiscard]] cpu_usage stop() const;

 private:
  [[nodiscard]] double processes() const;

  const idle_baseline& idle_;
  std::optional<int> other_;
  std::map<int, std::uint64_t> threads_;
  machine_cpu machine_;
  double clock_ = 0;
  double process_ = 0;
};

}  // namespace freshet::tool
