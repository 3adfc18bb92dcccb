// Several stores, such as those of several machines, read as one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tool/store/store.hpp"

namespace freshet::tool {

/// The runs and trials of stores that are open for reading. The runs of the first store keep their ids, and those of
/// each further one are numbered on behind them. With more than one store, each run has the name of its own.
class store_set {
 public:
  /// Precondition: at least one file. @throws freshet::error  as store does
  explicit store_set(std::span<const std::filesystem::path> files);

  /// The runs, in the order in which they began.
  [[nodiscard]] std::vector<run> runs(const selection& which = {}) const;
  /// Calls `take` with each trial: store by store, and in each in the order in which they were measured.
  void each(const selection& which, const std::function<void(record&&)>& take) const;
  /// How many trials there are.
  [[nodiscard]] std::uint64_t count(const selection& which = {}) const;
  /// As store::sizes().
  [[nodiscard]] task_sizes sizes() const;

 private:
  struct member {
    store kept;
    std::string name;         // of its file, as far as that tells it from the others
    std::int64_t before = 0;  // what its runs' ids are larger by here
    std::int64_t last = 0;    // the largest of its ids
  };
  /// What the selection comes to in that store; false if that is nothing.
  [[nodiscard]] static bool select_in(const member& one, selection& which);

  std::vector<member> members_;
};

}  // namespace freshet::tool
