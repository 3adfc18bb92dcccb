// Trials of several plans, made in a planned order, each kept as soon as it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tool/command/run_log.hpp"
#include "tool/trial/grid.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A plan with its trials, or the reason why it has none, or no more.
struct measured_plan {
  trial_plan plan;
  std::vector<trial_result> trials = {};
  std::string why_not = {};
};

/// Whether one of its trials counts.
[[nodiscard]] bool has_valid_trial(const measured_plan& row);
/// The trials that its figures are drawn from: those that count, else all.
[[nodiscard]] std::vector<const trial_result*> usable_samples(const measured_plan& row);
/// Why its trials are invalid, or nobody knows whether they are, as "2 of 3 invalid: REASON"; empty where they are
/// valid.
[[nodiscard]] std::string fault_of(const measured_plan& row);

/// What whoever watches a series is told.
struct series_listener {
  /// Before each trial: which one of all it is, from 1, and how long all will take from here; negative: unknown.
  std::function<void(const scheduled_trial& next, std::size_t number, double seconds_left)> before;
  /// After it: the last of the plan's trials is new, or there is a reason why there is none.
  std::function<void(const scheduled_trial& done)> after;
};

/// What a series came to beside its rows.
struct series_result {
  std::vector<const trial_result*> trials;  ///< those of the rows, in the order in which they were made
  std::uint64_t bytes_written = 0;
};

/// Makes the trials of `order`, whose plans are those of `rows`, in `directory`. A plan that cannot be carried out, or
/// fails, gets its reason and no more trials; the others go on. @throws interrupted
[[nodiscard]] series_result run_series(std::span<measured_plan> rows, std::span<const scheduled_trial> order,
                                       const std::filesystem::path& directory, run_log& log,
                                       const series_listener& listener);

}  // namespace freshet::tool
