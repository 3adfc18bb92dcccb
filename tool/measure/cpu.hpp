// The whole CPU bill of a piece of work: that of this process, and that which it causes elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace freshet::tool {

/// Seconds of CPU time.
struct cpu_bill {
  double process = 0;  ///< all threads of the process at work, the kernel's io workers for it included
  double whole = 0;    ///< with the kernel's own threads (writeback, journal) and its interrupts; at least `process`
  double stolen = 0;   ///< that the hypervisor gave to others meanwhile, though there was work here
};

/// Seconds of CPU time since boot, all processors together (/proc/stat). They come in ticks of 10 ms: enough for
/// seconds of work, too coarse for less.
struct machine_cpu {
  double busy = 0;        ///< all but idle and waiting for I/O, and what the hypervisor took
  double interrupts = 0;  ///< of that, in interrupts
  double stolen = 0;      ///< by the hypervisor
};
[[nodiscard]] machine_cpu read_machine_cpu();

/// Nanoseconds that each of the kernel's own threads has run, by its number; empty where a container hides them.
[[nodiscard]] std::map<int, std::uint64_t> read_kernel_threads();

/// What the machine does when we do nothing, in CPU seconds per second: learnt whenever we only wait.
class idle_baseline {
 public:
  /// Begins to learn.
  void start();
  /// Has learnt: nothing went on since start(), which is left out of account when it is called anew instead.
  void stop();
  /// Seconds learnt from so far.
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

/// Measures from its making to stop().
///
/// Where the kernel's threads can be seen, the whole bill is: this process, to the nanosecond; the kernel's threads, to
/// the nanosecond; interrupts, in ticks, less their idle baseline. Other processes are not in it. Where they can't be
/// seen, it is the machine's busy ticks less the idle baseline: coarse, and honest only where nobody else is at work.
class cpu_meter {
 public:
  /// With `other`, the bill has that process beside this one, and the children that it has waited for.
  explicit cpu_meter(const idle_baseline& idle, std::optional<int> other = {});
  [[nodiscard]] cpu_bill stop() const;

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
