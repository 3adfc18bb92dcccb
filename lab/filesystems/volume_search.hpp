// The search for the best volume: which file system, made and mounted with which options, and written by which method.
// It knows nothing of devices: visits come through a function, so its tests race simulated machines.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/filesystems/visit.hpp"
#include "tool/base/enum_names.hpp"
#include "tool/search/racing.hpp"

namespace freshet::tool {

/// What counts.
enum class volume_goal : std::uint8_t {
  large,    ///< a large file, until the device has it
  small,    ///< 10,000 small files, until the device has all of them
  durable,  ///< small blocks of which each is on the device before the next
};
template <>
inline constexpr auto enum_names<volume_goal> = std::to_array<std::string_view>({"large", "small", "durable"});

struct volume_search_setup {
  volume_goal goal = volume_goal::large;
  std::vector<std::string> volumes = {};             ///< names, to begin with
  std::vector<std::string> methods = {};             ///< to write by
  bool vary = true;                                  ///< also try the options that the kinds of these volumes have
  std::uint64_t size = 0;                            ///< bytes of large files
  std::uint64_t small_files = 10'000;                ///< that a trial of the goal `small` makes
  std::uint64_t synced_blocks = 256;                 ///< that a trial of the goal `durable` writes
  double seconds = 0;                                ///< for everything
  std::uint64_t bytes = 0;                           ///< to be written at most
  std::uint64_t bytes_to_age = 0;                    ///< that aging a volume writes
  double negligible_share = usual_negligible_share;  ///< the share of the time from which a difference matters
  std::uint64_t seed = 1;
};

/// Everything that the search needs from outside.
struct volume_source {
  std::function<visit(const std::string& volume, std::span<const trial_plan> plans)> run;
  std::function<double()> now;             ///< a clock in seconds, with any origin
  std::function<std::uint64_t()> written;  ///< bytes that the device was told to write so far, mkfs and aging included
  /// Called before each visit; may be empty. `state`: "survey", "aged", or empty in the race.
  std::function<void(std::string_view state, const race_progress& now)> show = nullptr;
  /// Called after each trial; may be empty.
  std::function<void(const trial_result& trial, trial_purpose purpose, const visit_times& times)> keep = nullptr;
};

/// All figures of one volume, from visits that each measured all of them.
struct surveyed_volume {
  trial_plan plan;                 ///< what counts, by the method that is best on it
  std::vector<visit> visits = {};  ///< trials in the order of survey_plans()
  std::string failure = {};        ///< why a visit failed; empty if none did
};

struct volume_search_result {
  volume_goal goal = volume_goal::large;
  class_verdict verdict;
  std::vector<candidate> candidates;
  race_end end = race_end::settled;
  std::vector<surveyed_volume> survey;  ///< of all volumes that were not dropped at once, the pick first
  std::string survey_ended = {};        ///< why not all of them were visited; empty if all were
  class_verdict aged_verdict;           ///< of the finalists, aged; without a ranking if the time did not last
  /// Their ranking beside the pick, aged, also if another leads among them; empty if the pick has no valid trial.
  class_verdict aged_beside_pick;
  std::vector<candidate> aged_candidates;
  std::vector<surveyed_volume> aged;  ///< the pick first
  std::string aging_ended = {};       ///< as survey_ended
  bool interrupted = false;
  double seconds = 0;
};

/// The plan that counts for the goal, by `method` on `volume`.
[[nodiscard]] trial_plan make_plan(const volume_search_setup& setup, volume_goal goal, const std::string& method,
                                   const std::string& volume);

/// What each visit of the survey measures, the plan that counts among them: writing and reading a large file, small
/// files, synced blocks.
[[nodiscard]] std::vector<trial_plan> survey_plans(const volume_search_setup& setup, const trial_plan& counts);

/// Races all volumes with all methods, varies the best, and compares the finalists; then measures all figures of each
/// volume, and the finalists again aged. A volume on which something fails is dropped with the reason.
/// @throws freshet::error  if nothing can be measured at all
[[nodiscard]] volume_search_result search_volumes(const volume_search_setup& setup, const volume_source& source);

}  // namespace freshet::tool
