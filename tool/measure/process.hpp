// The counters that the kernel keeps for this process and for others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace freshet::tool {

/// Counters since the process began, of all its threads.
struct process_counters {
  /// System calls that write (/proc/self/io, syscw). Submissions to io_uring and libaio are not among them, nor are
  /// pages written through a mapping.
  std::uint64_t write_calls = 0;
  std::uint64_t faults_minor = 0;
  std::uint64_t faults_major = 0;
  std::uint64_t switches_voluntary = 0;
  std::uint64_t switches_involuntary = 0;
  double user_seconds = 0;  ///< CPU time outside the kernel; not of another process
};
[[nodiscard]] process_counters read_process_counters();
/// The counters of another process and of the children that it has waited for; its context switches are those of its
/// present threads. Zeros if this user may not see them.
[[nodiscard]] process_counters read_process_counters(int pid);

/// CPU seconds of another process and of the children that it has waited for (those in ticks); 0 if there is no such
/// process.
[[nodiscard]] double read_cpu_seconds(int pid);
/// CPU seconds of all children of this process that have ended and were waited for (getrusage(2)).
[[nodiscard]] double read_cpu_seconds_of_children();

/// The peak memory of another process in bytes (VmHWM); empty if this user may not see it.
[[nodiscard]] std::optional<std::uint64_t> read_peak_memory(int pid);

/// Measures, from its construction on, the peak of this process's memory beyond what it had before. Free memory is
/// given back to the system first, so that the work has to ask for it again.
class peak_memory {
 public:
  peak_memory();
  /// Bytes so far; empty if the system does not let a process reset its peak (/proc/self/clear_refs).
  [[nodiscard]] std::optional<std::uint64_t> bytes() const;

 private:
  bool counts_;  // declared first: the reset comes before before_ is read
  std::uint64_t before_;
};

/// The ids of all visible processes, including the kernel's threads, in no order.
[[nodiscard]] std::vector<int> list_processes(const std::filesystem::path& proc = "/proc");

/// The fields of /proc/PID/stat that are used here.
struct process_status {
  std::string name;
  int parent = 0;
  bool has_ended = false;  ///< only its parent still has to ask how
  bool is_kernel_thread = false;
  std::uint64_t faults_minor = 0;  ///< with the children that it has waited for
  std::uint64_t faults_major = 0;
  std::uint64_t children_ticks = 0;  ///< CPU time of those children in clock ticks
  std::uint64_t started = 0;         ///< clock ticks after boot
};
/// Empty if there is no such process (any more).
[[nodiscard]] std::optional<process_status> read_process_status(int pid, const std::filesystem::path& proc = "/proc");

/// Bytes that a process and the children that it has waited for have written, except to file systems in memory
/// (write_bytes of /proc/PID/io); 0 if this user may not see it.
[[nodiscard]] std::uint64_t read_bytes_written(int pid, const std::filesystem::path& proc = "/proc");

}  // namespace freshet::tool
