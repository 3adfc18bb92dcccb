// What the kernel counts of this process, and what it tells of all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace freshet::tool {

/// Since the process began, all threads.
struct process_counters {
  /// System calls that write (/proc/self/io, syscw). Submissions to io_uring and libaio are not among them, nor are
  /// pages written through a mapping.
  std::uint64_t write_calls = 0;
  std::uint64_t faults_minor = 0;
  std::uint64_t faults_major = 0;
  std::uint64_t switches_voluntary = 0;
  std::uint64_t switches_involuntary = 0;
};
[[nodiscard]] process_counters read_process_counters();
/// Of another process, with the children that it has waited for; of its context switches, those of the threads that it
/// has now. Zeros where this user is not told.
[[nodiscard]] process_counters read_process_counters(int number);

/// CPU seconds that another process has used, with the children that it has waited for (these in ticks); 0 where there
/// is none.
[[nodiscard]] double cpu_seconds_of(int number);

/// The most memory that another process had at a time (VmHWM); empty where this user is not told.
[[nodiscard]] std::optional<std::uint64_t> peak_memory_of(int number);

/// The numbers of all processes that are to be seen, the kernel's threads among them, in no order.
[[nodiscard]] std::vector<int> process_numbers(const std::filesystem::path& proc = "/proc");

/// What /proc/NUMBER/stat says.
struct process_status {
  std::string name;
  int parent = 0;
  bool is_kernel_thread = false;
  std::uint64_t faults_minor = 0;  ///< with those of the children that it has waited for
  std::uint64_t faults_major = 0;
  std::uint64_t children_ticks = 0;  ///< clock ticks of CPU time of those children
  std::uint64_t started = 0;         ///< clock ticks after boot
};
/// Empty where there is no such process any more.
[[nodiscard]] std::optional<process_status> read_process_status(int number,
                                                                const std::filesystem::path& proc = "/proc");

/// Bytes that a process, with the children that it has waited for, has written to any file system but those in memory
/// (write_bytes of /proc/NUMBER/io); 0 where this user is not told.
[[nodiscard]] std::uint64_t bytes_written_by(int number, const std::filesystem::path& proc = "/proc");

}  // namespace freshet::tool
