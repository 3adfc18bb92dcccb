// How much memory a piece of work takes.
#pragma once

#include <cstdint>
#include <optional>

namespace freshet::tool {

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

}  // namespace freshet::tool
