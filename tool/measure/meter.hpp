// All instruments of a trial, read together.
#pragma once

#include <optional>
#include <string>

#include "measure/clock.hpp"
#include "measure/cpu.hpp"
#include "measure/process.hpp"
#include "os/file.hpp"
#include "trial.hpp"

namespace freshet::tool {

/// Measures from its making on; the clock is the last to start and the first to be read.
class meter {
 public:
  /// Precondition: `idle` outlives it.
  meter(const std::string& device_name, const idle_baseline& idle);

  /// The program may go on.
  void closed() { to_close_ = watch_.seconds(); }
  /// The device has everything: enters what was measured in `made`.
  void finish(trial& made) const;

 private:
  std::string device_name_;
  std::optional<os::device_counters> device_;
  process_counters process_;
  cpu_meter cpu_;
  double to_close_ = 0;
  stopwatch watch_;
};

/// Pieces that the file lies in on the device: extents that follow one another there count as one. Empty where the file
/// system does not say.
[[nodiscard]] std::optional<std::uint64_t> count_extents(const std::filesystem::path& path);

}  // namespace freshet::tool
