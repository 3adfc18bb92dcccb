#include "cpu.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace freshet::tool {
namespace {

double seconds_of(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// PF_KTHREAD of the kernel's include/linux/sched.h: the ninth field of /proc/PID/stat has it.
constexpr std::uint64_t kernel_thread_flag = 0x0020'0000;

bool is_kernel_thread(const std::filesystem::path& process) {
  std::ifstream in{process / "stat"};
  std::string line;
  std::getline(in, line);
  // The second field, the name, may itself hold spaces and brackets.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return false;
  std::size_t at = name_end + 1;
  for (int field = 3; field < 9 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
  if (at == std::string::npos) return false;
  std::uint64_t flags = 0;
  std::from_chars(line.data() + at + 1, line.data() + line.size(), flags);
  return (flags & kernel_thread_flag) != 0;
}

}  // namespace

machine_cpu read_machine_cpu() {
  std::ifstream in{"/proc/stat"};
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, stolen = 0;
  if (!(in >> label >> user >> nice >> system >> idle >> wait >> hard >> soft >> stolen)) return {};
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {.busy = (user + nice + system + hard + soft) / ticks,
          .interrupts = (hard + soft) / ticks,
          .stolen = stolen / ticks};
}

std::map<int, std::uint64_t> read_kernel_threads() {
  std::map<int, std::uint64_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator entry{"/proc", error}, end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    int number = 0;
    const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status != std::errc{} || rest != name.data() + name.size() || !is_kernel_thread(entry->path())) continue;
    std::uint64_t nanoseconds = 0;
    if (std::ifstream in{entry->path() / "schedstat"}; in >> nanoseconds) threads[number] = nanoseconds;
  }
  return threads;
}

void idle_baseline::start() {
  before_ = read_machine_cpu();
  process_before_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  clock_before_ = seconds_of(CLOCK_MONOTONIC);
}

void idle_baseline::stop() {
  const machine_cpu now = read_machine_cpu();
  const double own = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process_before_;
  sum_.busy += std::max(0.0, now.busy - before_.busy - own);
  sum_.interrupts += now.interrupts - before_.interrupts;
  seconds_ += seconds_of(CLOCK_MONOTONIC) - clock_before_;
}

cpu_meter::cpu_meter(const idle_baseline& idle)
    : idle_{idle},
      threads_{read_kernel_threads()},
      machine_{read_machine_cpu()},
      clock_{seconds_of(CLOCK_MONOTONIC)},
      process_{seconds_of(CLOCK_PROCESS_CPUTIME_ID)} {}

cpu_bill cpu_meter::stop() const {
  cpu_bill bill{.process = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process_};
  const double seconds = seconds_of(CLOCK_MONOTONIC) - clock_;
  const machine_cpu now = read_machine_cpu();
  bill.stolen = now.stolen - machine_.stolen;
  if (threads_.empty()) {
    bill.whole = std::max(bill.process, now.busy - machine_.busy - idle_.busy_rate() * seconds);
    return bill;
  }
  bill.whole = bill.process;
  bill.whole += std::max(0.0, now.interrupts - machine_.interrupts - idle_.interrupt_rate() * seconds);
  for (const auto& [number, nanoseconds] : read_kernel_threads()) {
    const auto before = threads_.find(number);
    // A thread that was born since has run for us; a number that was given anew starts again from nothing.
    const std::uint64_t earlier = before == threads_.end() || before->second > nanoseconds ? 0 : before->second;
    bill.whole += static_cast<double>(nanoseconds - earlier) * 1e-9;
  }
  return bill;
}

}  // namespace freshet::tool
