// How much memory a piece of work takes.
#pragma once

#include <cstdint>
#include <optional>

namespace freshet::tool {

/// Measures from its making on: what this process takes at most, beyond what it had when this was made. What is free of
/// it is given back to the system first, so that the work has to ask for it again.
class peak_memory {
 public:
  peak_memory();
  /// Bytes so far; empty where the system does not let a process begin anew to count (/proc/self/clear_refs).
  [[nodiscard]] std::optional<std::uint64_t> bytes() const;

 private:
  bool counts_;  // the first: what it does comes before the count of what there is
  std::uint64_t before_;
};

}  // namespace freshet::tool
