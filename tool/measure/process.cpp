#include "tool/measure/process.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>

#include "src/os/queue.hpp"
#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

// PF_KTHREAD of the kernel's include/linux/sched.h.
constexpr std::uint64_t kernel_thread_flag = 0x0020'0000;

// The value behind `label` in a file of lines "label: value …"; empty where it has none.
std::optional<std::uint64_t> labelled(const std::filesystem::path& file, std::string_view label) {
  std::ifstream in{file};
  for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::uint64_t value = 0; word == label && in >> value) return value;
  return {};
}

std::filesystem::path place_of(int number) { return "/proc/" + std::to_string(number); }

}  // namespace

process_counters read_process_counters(int number) {
  const std::filesystem::path place = place_of(number);
  const process_status told = read_process_status(number).value_or(process_status{});
  process_counters counters{.write_calls = labelled(place / "io", "syscw:").value_or(0),
                            .faults_minor = told.faults_minor,
                            .faults_major = told.faults_major};
  for (const int thread : process_numbers(place / "task")) {
    const std::filesystem::path status = place / "task" / std::to_string(thread) / "status";
    counters.switches_voluntary += labelled(status, "voluntary_ctxt_switches:").value_or(0);
    counters.switches_involuntary += labelled(status, "nonvoluntary_ctxt_switches:").value_or(0);
  }
  return counters;
}

double cpu_seconds_of(int number) {
  clockid_t clock{};
  if (clock_getcpuclockid(number, &clock) != 0) return 0;
  const process_status told = read_process_status(number).value_or(process_status{});
  return seconds_of(clock) + static_cast<double>(told.children_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::optional<std::uint64_t> peak_memory_of(int number) {
  const auto kibibytes = labelled(place_of(number) / "status", "VmHWM:");
  return kibibytes ? std::optional{*kibibytes << 10} : std::nullopt;
}

process_counters read_process_counters() {
  process_counters counters;
  if (const auto calls = labelled("/proc/self/io", "syscw:"))
    counters.write_calls = *calls + detail::os::submitted_writes();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  counters.faults_minor = static_cast<std::uint64_t>(usage.ru_minflt);
  counters.faults_major = static_cast<std::uint64_t>(usage.ru_majflt);
  counters.switches_voluntary = static_cast<std::uint64_t>(usage.ru_nvcsw);
  counters.switches_involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
  return counters;
}

std::vector<int> process_numbers(const std::filesystem::path& proc) {
  std::vector<int> numbers;
  std::error_code none;
  for (std::filesystem::directory_iterator entry{proc, none}, end; !none && entry != end; entry.increment(none)) {
    const std::string name = entry->path().filename();
    int number = 0;
    const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc{} && rest == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

// "12 (name) S 1 …" (proc_pid_stat(5)).
std::optional<process_status> read_process_status(int number, const std::filesystem::path& proc) {
  std::ifstream in{proc / std::to_string(number) / "stat"};
  std::string line;
  std::getline(in, line);
  // The name may itself hold spaces and brackets.
  const std::size_t begin = line.find('(');
  const std::size_t end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  std::istringstream rest{line.substr(end + 1)};
  // Counted from 1, as in the manual; what may be negative there is of no use here.
  std::array<std::uint64_t, 23> field{};
  std::string state;
  rest >> state;
  for (std::size_t each = 4; each < field.size(); ++each) rest >> field[each];
  if (!rest) return {};
  return process_status{.name = line.substr(begin + 1, end - begin - 1),
                        .parent = static_cast<int>(field[4]),
                        .is_kernel_thread = (field[9] & kernel_thread_flag) != 0,
                        .faults_minor = field[10] + field[11],
                        .faults_major = field[12] + field[13],
                        .children_ticks = field[16] + field[17],
                        .started = field[22]};
}

std::uint64_t bytes_written_by(int number, const std::filesystem::path& proc) {
  return labelled(proc / std::to_string(number) / "io", "write_bytes:").value_or(0);
}

}  // namespace freshet::tool
