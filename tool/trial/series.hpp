// Which plans a grid of options comes to, the order of their trials, and the trials made in that order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <freshet/methods.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/enum_names.hpp"
#include "tool/trial/candidate.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The values of an option in a grid.
template <auto option>
struct option_values {
  std::vector<option_value<option>> all = {};
  friend bool operator==(const option_values&, const option_values&) = default;
};
template <typename... Options>
std::tuple<option_values<Options::member>...> lists_for(const std::tuple<Options...>& table);

/// The options that vary, and those that all plans have in common.
struct grid {
  trial_plan common = {};  ///< its size_ahead is for the plans without order
  decltype(lists_for(plan_options)) values = {};

  /// The values of an axis or the class, such as of<&trial_plan::block>(). None: the common one.
  template <auto option>
  [[nodiscard]] auto& of() {
    return std::get<option_values<option>>(values).all;
  }
  template <auto option>
  [[nodiscard]] const auto& of() const {
    return std::get<option_values<option>>(values).all;
  }
  friend bool operator==(const grid&, const grid&) = default;
};

/// Every combination as it is carried out, class by class, and then in the order of the options; combinations that
/// amount to the same appear once.
[[nodiscard]] std::vector<trial_plan> make_plans(const grid& varied);

/// All methods. @throws freshet::error with the reason if one of those `named` does not work in `directory`
[[nodiscard]] std::vector<method_info> list_methods(const std::vector<std::string>& named,
                                                    const std::filesystem::path& directory);

enum class trial_order : std::uint8_t {
  cycle,       ///< round by round, each in the order of the plans
  sequential,  ///< all rounds of one plan, then those of the next
  random,      ///< round by round, each in an order of its own
};
template <>
inline constexpr auto enum_names<trial_order> = std::to_array<std::string_view>({"cycle", "sequential", "random"});

/// A trial that is to be made.
struct scheduled_trial {
  std::size_t plan = 0;  ///< index
  unsigned round = 0;
  unsigned position = 0;  ///< within its round
  friend bool operator==(const scheduled_trial&, const scheduled_trial&) = default;
};

/// Schedules `rounds` rounds of `plans` plans. The same `seed` gives the same random order.
[[nodiscard]] std::vector<scheduled_trial> schedule(std::size_t plans, unsigned rounds, trial_order order,
                                                    std::uint64_t seed);

/// Calls make(next, number, seconds_left) for each trial of `order`: its number, from 1, and the time that it and the
/// rest take if they are as long as those so far; negative: unknown.
template <typename Make>
void make_in_order(std::span<const scheduled_trial> order, const Make& make) {
  const stopwatch watch;
  for (std::size_t done = 0; done < order.size(); ++done) {
    const double each = watch.seconds() / static_cast<double>(std::max<std::size_t>(done, 1));
    make(order[done], done + 1, done == 0 ? -1 : each * static_cast<double>(order.size() - done));
  }
}

/// Computes how many bytes one trial of `plan` writes to the file system, including its preparation, but without the
/// files that reading trials share.
[[nodiscard]] std::uint64_t compute_bytes_written(const trial_plan& plan);

/// Functions that a series calls.
struct series_listener {
  /// Makes a trial. @throws freshet::error  if the plan cannot be carried out; interrupted
  std::function<trial_result(const trial_plan& plan)> run;
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

/// How many rounds a series has.
struct round_limits {
  unsigned rounds = 0;           ///< in any case
  unsigned rounds_if_short = 0;  ///< that it goes on to as long as all of them take no more than this time and space:
  double seconds = 5;
  std::uint64_t max_bytes = 0;  ///< to be written
};

/// In which order the trials of each round are made.
struct round_order {
  trial_order order = trial_order::random;
  std::uint64_t seed = 1;
};

/// Makes the trials of `order`, whose plans are those of `rows`. A plan that cannot be carried out, or whose work
/// fails, gets the reason and no more trials; the others go on. @throws interrupted; what the listener throws
[[nodiscard]] series_result run_series(std::span<candidate> rows, std::span<const scheduled_trial> order,
                                       const series_listener& listener);

/// The same, round by round. Goes on to further rounds if another one like those so far keeps to the limits by the
/// clock `now`, which is in seconds and starts with the series; not in sequential order, which has no rounds.
[[nodiscard]] series_result run_rounds(std::span<candidate> rows, const round_limits& limits, round_order by,
                                       const series_listener& listener, const std::function<double()>& now);

}  // namespace freshet::tool
