// Keeps runs and their trials in the store.
#pragma once

#include <filesystem>
#include <memory>

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

}  // namespace freshet::tool
