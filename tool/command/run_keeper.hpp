// Keeps runs and their trials in the store, and reads there what the device takes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tool/analysis/machine_rate.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A run that is being kept. All functions throw freshet::error with the store's path, the operation and the reason.
class run_keeper {
 public:
  virtual ~run_keeper() = default;
  /// Stores the trial at once, and sets its `id`.
  virtual void add(record& trial) = 0;
  /// Notes that the run ended now.
  virtual void end() = 0;
};

/// Whether this freshet has a store: it was built with SQLite.
[[nodiscard]] bool has_store() noexcept;

/// Begins `begun` in the store that `file` is, or in the default one if it is empty; sets its `id` and its `attempt`.
/// Precondition: has_store(). @throws std::exception
[[nodiscard]] std::unique_ptr<run_keeper> keep_run(const std::filesystem::path& file, run& begun);

/// What the device takes on which the machine and file system of `here` are, from the trials of the latest runs there
/// in that store, or in the default one if `file` is empty; empty if it is not known, or the store cannot be read.
[[nodiscard]] std::optional<machine_rate> read_machine_rate(const std::filesystem::path& file, const environment& here);

}  // namespace freshet::tool
