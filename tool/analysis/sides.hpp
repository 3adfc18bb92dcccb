// Two sides of stored trials, two runs, methods or environments, compared plan by plan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tool/analysis/groups.hpp"
#include "tool/search/comparison.hpp"
#include "tool/search/significance.hpp"

namespace freshet::tool {

/// What two sides have in common.
enum class matching : std::uint8_t {
  plans,    ///< everything: the same plan, measured twice
  methods,  ///< everything but the method. If no two blocks (or depths) are equal, the best of each side are compared
  options,  ///< everything but one option; blocks and depths as for methods
};

/// Sets the option, in the record's plan, to what all plans can have in common. Its label still tells.
void forget_option(record& stored, std::string_view option);

/// Times of a plan on both sides, from trials that figures are drawn from, and how they compare.
struct times_of_sides {
  sample_pair seconds_per_gb = {};  ///< those of the first side are the earlier ones
  comparison against = {};          ///< the second's against the first's
  double significance = 1;          ///< by ranks, of this plan alone
};

/// A plan that both sides measured. The second side is compared with the first.
struct matched_plan {
  std::string place = {};  ///< for people; empty where all trials have one place, or places are what is compared
  std::string workload = {};
  io_class measured_class = io_class::none;
  std::uint64_t size = 0;                                  ///< bytes per file
  std::string variant = {};                                ///< as report_group has it
  std::array<std::string, 2> labels = {};                  ///< of each side, for people
  std::array<std::vector<double>, 2> seconds_per_gb = {};  ///< of the trials that figures are drawn from
  std::array<double, 2> cpu_per_gb = {};                   ///< medians, seconds of the whole machine
  comparison against = {};                                 ///< the second's seconds against the first's
  double significance = 1;    ///< by ranks, corrected for the number of plans compared at once
  std::string task = {};      ///< what it has in common with the same plan in the other state of memory
  times_of_sides whole = {};  ///< as they were measured
  times_of_sides own = {};    ///< without the time for which others had the processors while it was ready to run
};

/// All plans of two sides.
struct matched_plans {
  std::vector<matched_plan> common = {};
  double overall = 1;                                ///< the geometric mean of their ratios
  double overall_significance = 1;                   ///< of a change that all of them share
  std::size_t trials_needed = 0;                     ///< of each side: with fewer, so many comparisons can show nothing
  std::array<std::size_t, 2> trials = {};            ///< of each side in all
  std::array<std::size_t, 2> unmatched = {};         ///< plans that only this side has
  std::map<std::string, std::size_t> left_out = {};  ///< number of unusable trials by reason
  std::array<std::set<io_class>, 2> classes = {};    ///< that each side has
  std::array<std::set<bool>, 2> met_slow_memory = {};  ///< whether trials of each side did
};

/// Sorts trials by side, and compares them.
class side_matcher {
 public:
  /// `runs` and `sizes`: as report_groups takes them. Trials of different places are compared only if `across_places`.
  side_matcher(const std::vector<run>& runs, task_sizes sizes, bool across_places);

  /// Adds a trial of the run with that index, on side 0 or 1, or 2 for neither: it only shows how much trials vary.
  void add(std::size_t side, record&& stored, std::size_t run, metric which);

  /// Compares all plans that both sides have, in usable trials that rank plans: warm-ups and what explains the machine
  /// are not among them. Trials are paired within rounds.
  [[nodiscard]] matched_plans match(matching how, metric which) const;

 private:
  void match_group(std::size_t number, matching how, metric which, matched_plans& all) const;
  [[nodiscard]] candidate trials_of(std::size_t side, std::size_t group, std::size_t row) const;

  report_groups groups_;
  std::vector<std::vector<std::vector<std::size_t>>> sides_;  ///< of each trial of each row of each group
};

}  // namespace freshet::tool
