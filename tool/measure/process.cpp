#include "process.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

#include "os/queue.hpp"

namespace freshet::tool {

process_counters read_process_counters() {
  process_counters counters;
  std::ifstream io{"/proc/self/io"};
  std::string label;
  for (std::uint64_t value = 0; io >> label >> value;)
    if (label == "syscw:") counters.write_calls = value + os::submitted_writes();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  counters.faults_minor = static_cast<std::uint64_t>(usage.ru_minflt);
  counters.faults_major = static_cast<std::uint64_t>(usage.ru_majflt);
  counters.switches_voluntary = static_cast<std::uint64_t>(usage.ru_nvcsw);
  counters.switches_involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
  return counters;
}

}  // namespace freshet::tool
