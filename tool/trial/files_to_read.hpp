// The files that reading trials read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tool/base/scratch.hpp"
#include "tool/trial/trial.hpp"
#include "tool/workload/blocks.hpp"

namespace freshet::tool {

/// Files of the same content.
struct equal_files {
  trial_plan written_by;  ///< the plan that writes one
  std::vector<std::filesystem::path> paths;
  std::uint64_t bytes = 0;     ///< of each
  std::uint64_t checksum = 0;  ///< of what was to be written to each, which need not be what it holds
};

/// Writes each file once and keeps it as long as the scratch directory: writing one for every trial would take longer
/// than the trial, and wear the device.
class files_to_read {
 public:
  /// Precondition: `place` outlives it.
  explicit files_to_read(const scratch& place) : place_{place} {}

  /// The files that `plan` reads, one for each of its jobs, on the device; those that do not exist yet are written now.
  /// `data` may be null for workloads that need none. The reference is valid until the next call.
  /// @throws freshet::error; interrupted
  const equal_files& provide(const trial_plan& plan, const block_data* data);

  /// Bytes written so far.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }

 private:
  equal_files& find(const trial_plan& plan, const block_data* data);

  const scratch& place_;
  std::vector<equal_files> kept_;
  unsigned count_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace freshet::tool
