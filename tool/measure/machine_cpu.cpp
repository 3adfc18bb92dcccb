// The CPU time of the machine, from procfs.
#include <unistd.h>

#include <fstream>
#include <string>

#include "tool/measure/cpu.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {

machine_cpu read_machine_cpu(const std::filesystem::path& proc) {
  std::ifstream in{proc / "stat"};
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
  for (const int number : list_processes()) {
    const auto status = read_process_status(number);
    if (!status || !status->is_kernel_thread) continue;
    std::uint64_t nanoseconds = 0;
    if (std::ifstream in{"/proc/" + std::to_string(number) + "/schedstat"}; in >> nanoseconds)
      threads[number] = nanoseconds;
  }
  return threads;
}

}  // namespace freshet::tool
