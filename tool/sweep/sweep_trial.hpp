// What one trial of a sweep shows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tool/store/record.hpp"
#include "tool/sweep/plan.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What one rank contributes to a trial.
struct sweep_share {
  std::string machine;      ///< the host's name
  double cpu_to_close = 0;  ///< user + system of the process, until its files were closed
  double cpu_process = 0;   ///< as in trial, to disk
  double cpu_whole = 0;     ///< as in trial: what the machine's kernel did for all ranks on it is in each of theirs
  double cpu_stolen = 0;
  std::optional<std::uint64_t> peak_memory;  ///< bytes beyond what the process had before; empty: not known
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::vector<std::string> faults;  ///< why it is invalid
  std::string failure;              ///< why the strategy did not go through; empty: it did
};

struct sweep_trial {
  sweep_cell cell;
  /// plan.jobs are the threads of each rank; bytes are those of the input.
  trial_result figures;
  double cpu_to_close = 0;                   ///< of all ranks' processes, until the files were closed
  std::optional<std::uint64_t> peak_memory;  ///< bytes, of the rank that took most
  std::uint64_t bytes_out = 0;
  std::string chosen;   ///< the strategy at work
  std::string why;      ///< `auto` chose it
  std::string failure;  ///< why it did not go through; empty: it did. No figure means anything where it did not
  /// On some file systems, that has slowed down whoever made files.
  bool files_removed_shortly_before = false;
};

/// Enters what the ranks say in `made`, whose figures are rank 0's until then. Work of a machine's kernel counts once.
void merge(sweep_trial& made, const std::vector<sweep_share>& shares);

[[nodiscard]] inline bool is_valid(const sweep_trial& made) { return made.figures.validity != trial_validity::invalid; }
[[nodiscard]] inline bool has_failed(const sweep_trial& made) { return !made.failure.empty(); }

void to_json(nlohmann::json& out, const sweep_share& share);
void from_json(const nlohmann::json& in, sweep_share& share);

/// Of one of the trials of `plan`; neither kept nor part of a run yet.
[[nodiscard]] record make_record(const sweep_plan& plan, const sweep_trial& made);

/// Of one of the trials of `plan`.
[[nodiscard]] nlohmann::json in_json(const sweep_plan& plan, const sweep_trial& made);

}  // namespace freshet::tool
