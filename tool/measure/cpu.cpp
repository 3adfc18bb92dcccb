#include "tool/measure/cpu.hpp"

#include <algorithm>

#include "tool/base/clock.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {

void idle_baseline::start() {
  before_ = read_machine_cpu();
  process_before_ = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  clock_before_ = read_clock(CLOCK_MONOTONIC);
}

void idle_baseline::stop() {
  const machine_cpu now = read_machine_cpu();
  const double own = read_clock(CLOCK_PROCESS_CPUTIME_ID) - process_before_;
  sum_.busy += std::max(0.0, now.busy - before_.busy - own);
  sum_.interrupts += now.interrupts - before_.interrupts;
  seconds_ += read_clock(CLOCK_MONOTONIC) - clock_before_;
}

cpu_meter::cpu_meter(const idle_baseline& idle, std::optional<int> other)
    : idle_{idle},
      other_{other},
      threads_{read_kernel_threads()},
      machine_{read_machine_cpu()},
      clock_{read_clock(CLOCK_MONOTONIC)},
      process_{processes()} {}

double cpu_meter::processes() const {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID) + (other_ ? read_cpu_seconds(*other_) : 0);
}

cpu_usage cpu_meter::stop() const {
  cpu_usage usage{.process = processes() - process_};
  const double seconds = read_clock(CLOCK_MONOTONIC) - clock_;
  const machine_cpu now = read_machine_cpu();
  usage.stolen = now.stolen - machine_.stolen;
  usage.others = std::max(0.0, now.busy - machine_.busy - usage.process);
  if (threads_.empty()) {
    usage.whole = std::max(usage.process, now.busy - machine_.busy - idle_.busy_rate() * seconds);
    return usage;
  }
  usage.whole = usage.process;
  usage.whole += std::max(0.0, now.interrupts - machine_.interrupts - idle_.interrupt_rate() * seconds);
  for (const auto& [number, nanoseconds] : read_kernel_threads()) {
    const auto before = threads_.find(number);
    // A thread that is new has run for us; a thread id that was reused starts at zero.
    const std::uint64_t earlier = before == threads_.end() || before->second > nanoseconds ? 0 : before->second;
    usage.whole += static_cast<double>(nanoseconds - earlier) * 1e-9;
  }
  usage.others = std::max(0.0, now.busy - machine_.busy - usage.whole);
  return usage;
}

}  // namespace freshet::tool
