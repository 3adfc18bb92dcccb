// What the kernel counts of this process.
#pragma once

#include <cstdint>

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

}  // namespace freshet::tool
