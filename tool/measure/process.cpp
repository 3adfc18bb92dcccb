#include "tool/measure/process.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "src/base/pool.hpp"
#include "src/os/queue.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

// PF_KTHREAD of the kernel's include/linux/sched.h.
constexpr std::uint64_t kernel_thread_flag = 0x0020'0000;

std::filesystem::path proc_directory(int pid) { return "/proc/" + std::to_string(pid); }

double to_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Resets the peak to what is in use, after freeing what is not. False if the system does not allow it.
bool reset_peak() {
  detail::pool::release_idle();
  malloc_trim(0);
  std::ofstream out{"/proc/self/clear_refs"};
  out << "5" << std::flush;  // the peak of the resident set (proc(5))
  return out.good();
}

}  // namespace

process_counters read_process_counters(int pid) {
  const std::filesystem::path directory = proc_directory(pid);
  const process_status status = read_process_status(pid).value_or(process_status{});
  process_counters counters{.write_calls = read_labelled(directory / "io", "syscw:").value_or(0),
                            .faults_minor = status.faults_minor,
                            .faults_major = status.faults_major};
  for (const int thread : list_processes(directory / "task")) {
    const std::filesystem::path file = directory / "task" / std::to_string(thread) / "status";
    counters.switches_voluntary += read_labelled(file, "voluntary_ctxt_switches:").value_or(0);
    counters.switches_involuntary += read_labelled(file, "nonvoluntary_ctxt_switches:").value_or(0);
  }
  return counters;
}

double read_cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
}

double read_cpu_seconds(int pid) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) return 0;
  const process_status status = read_process_status(pid).value_or(process_status{});
  return read_clock(clock) + static_cast<double>(status.children_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::optional<std::uint64_t> read_peak_memory(int pid) {
  return read_labelled(proc_directory(pid) / "status", "VmHWM:");
}

peak_memory::peak_memory() : counts_{reset_peak()}, before_{read_labelled("/proc/self/status", "VmRSS:").value_or(0)} {}

std::optional<std::uint64_t> peak_memory::bytes() const {
  if (!counts_) return {};
  const std::uint64_t peak = read_peak_memory(::getpid()).value_or(0);
  return peak > before_ ? peak - before_ : 0;
}

process_counters read_process_counters() {
  process_counters counters;
  if (const auto calls = read_labelled("/proc/self/io", "syscw:"))
    counters.write_calls = *calls + detail::os::submitted_writes();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  counters.faults_minor = static_cast<std::uint64_t>(usage.ru_minflt);
  counters.faults_major = static_cast<std::uint64_t>(usage.ru_majflt);
  counters.switches_voluntary = static_cast<std::uint64_t>(usage.ru_nvcsw);
  counters.switches_involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
  counters.user_seconds = to_seconds(usage.ru_utime);
  return counters;
}

std::vector<int> list_processes(const std::filesystem::path& proc) {
  std::vector<int> numbers;
  for (const std::filesystem::path& each : list_entries(proc)) {
    const std::string name = each.filename();
    int number = 0;
    const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc{} && rest == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

// "12 (name) S 1 …" (proc_pid_stat(5)).
std::optional<process_status> read_process_status(int pid, const std::filesystem::path& proc) {
  std::ifstream in{proc / std::to_string(pid) / "stat"};
  std::string line;
  std::getline(in, line);
  // The name itself may contain spaces and brackets.
  const std::size_t begin = line.find('(');
  const std::size_t end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  std::istringstream rest{line.substr(end + 1)};
  // Counted from 1, as in the manual. The fields that may be negative are not needed.
  std::array<std::uint64_t, 23> field{};
  std::string state;
  rest >> state;
  for (std::size_t each = 4; each < field.size(); ++each) rest >> field[each];
  if (!rest) return {};
  return process_status{.name = line.substr(begin + 1, end - begin - 1),
                        .parent = static_cast<int>(field[4]),
                        .has_ended = state == "Z" || state == "X",
                        .is_kernel_thread = (field[9] & kernel_thread_flag) != 0,
                        .faults_minor = field[10] + field[11],
                        .faults_major = field[12] + field[13],
                        .children_ticks = field[16] + field[17],
                        .started = field[22]};
}

std::uint64_t read_bytes_written(int pid, const std::filesystem::path& proc) {
  return read_labelled(proc / std::to_string(pid) / "io", "write_bytes:").value_or(0);
}

}  // namespace freshet::tool
