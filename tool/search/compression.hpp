// Which level of compression pays for a user's data: what the processors and the disk allow at each.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace freshet::tool {

/// What the trials of one level have shown. Rates are bytes of the data, not of the file, per second.
struct level_trials {
  int level = 0;
  double ratio = 1;                     ///< bytes of the data for each byte of the file
  std::vector<double> compressed = {};  ///< rates at which the data was compressed, but not stored
  std::vector<double> stored = {};      ///< rates at which it was compressed and written, until the file was closed
};

/// The medians of one level's rates, and what limits it.
struct level_limits {
  int level = 0;
  double ratio = 1;
  double processors = 0;  ///< the rate at which they compress
  double disk = 0;        ///< the rate at which the disk would take what the level leaves of the data
  double stored = 0;      ///< the rate of both together, as it was measured

  [[nodiscard]] bool is_limited_by_processors() const noexcept { return processors < disk; }
};

/// What the levels came to.
struct compression_verdict {
  double plain = 0;  ///< the rate without compression: a median
  std::vector<level_limits> levels;
  /// The first level from which on the processors limit every level; empty if the disk limits the last one.
  std::optional<int> limited_from = {};
  level_limits fastest = {};  ///< the level whose `stored` is the largest
};

/// Judges `levels`, which are in ascending order. `plain`: rates at which the data was written without compression.
/// Precondition: neither these nor the levels nor any of their rates are empty.
[[nodiscard]] compression_verdict judge_levels(std::span<const double> plain, std::span<const level_trials> levels);

}  // namespace freshet::tool
