// Trials of several plans, made in a planned order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tool/trial/file_runner.hpp"
#include "tool/trial/grid.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A plan with its trials, and the reason why it has none or no more.
struct measured_plan {
  trial_plan plan;
  std::vector<trial_result> trials = {};
  std::string why_not = {};
};

/// Functions that a series calls.
struct series_listener {
  /// Before each trial, with its number, from 1, and the time that the rest of the series takes; negative: unknown.
  std::function<void(const scheduled_trial& next, std::size_t number, double seconds_left)> before;
  /// With each trial that was made.
  std::function<void(const trial_result& trial)> keep;
  /// After each trial, whether it was made or failed.
  std::function<void(const scheduled_trial& done)> after;
};

/// The results of a series beside its rows.
struct series_result {
  std::vector<const trial_result*> trials;  ///< the trials of the rows, in the order in which they were made
  std::uint64_t bytes_written = 0;
};

/// Makes the trials of `order`, whose plans are those of `rows`. A plan that cannot be carried out, or fails, gets the
/// reason and no more trials; the others go on. @throws interrupted; what the listener throws
[[nodiscard]] series_result run_series(std::span<measured_plan> rows, std::span<const scheduled_trial> order,
                                       file_runner& runner, const series_listener& listener);

}  // namespace freshet::tool
