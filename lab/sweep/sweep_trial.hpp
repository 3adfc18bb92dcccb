// One trial of a sweep, and how the shares of its ranks are merged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/sweep/plan.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/store/record.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// How a problem begins that a sweep has with the content of a trial's output.
inline constexpr std::string_view wrong_output = "its output";

/// The result of one rank's part of a trial.
struct sweep_share {
  std::string machine;      ///< the host's name
  double cpu_to_close = 0;  ///< user + system time of the process, until its files were closed
  double cpu_process = 0;   ///< as in trial_result, until the disk had the files
  double cpu_whole = 0;     ///< as in trial_result; each rank counts the kernel's work for all ranks of its machine
  double cpu_stolen = 0;
  std::optional<std::uint64_t> peak_memory;  ///< bytes in addition to those before the trial; empty: not known
  /// Bytes of inputs and outputs in the page cache of its machine afterwards; empty: not known.
  std::optional<std::uint64_t> page_cache;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::vector<std::string> problems;      ///< why the trial is invalid
  std::vector<std::string> disturbances;  ///< what others took from it meanwhile
  std::string failure;                    ///< why the strategy failed; empty if it did not
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(sweep_share, machine, cpu_to_close, cpu_process, cpu_whole, cpu_stolen, peak_memory,
                                   page_cache, bytes_in, bytes_out, problems, disturbances, failure)

struct sweep_trial {
  sweep_cell cell;
  /// `plan.jobs` is the number of threads of each rank, `bytes` is the size of the input, `bytes_written` that of the
  /// output, and `peak_memory` and `page_cache` those of the rank that has most.
  trial_result figures;
  double cpu_to_close = 0;  ///< of the processes of all ranks, until the files were closed
  std::string chosen;       ///< the strategy that was run
  std::string why;          ///< why `auto` chose it
  std::string failure;      ///< why the strategy failed; empty if it did not. No figure counts if it did
  /// On some file systems, removing files slows down the creation of files for some minutes.
  bool files_removed_shortly_before = false;
};

/// Merges the shares of all ranks into `trial`, which has the root's figures before. The work of a machine's kernel
/// counts once.
void merge(sweep_trial& trial, const std::vector<sweep_share>& shares);

[[nodiscard]] inline bool has_failed(const sweep_trial& trial) { return !trial.failure.empty(); }
/// Why the trial counts in no figure; empty if it may count.
[[nodiscard]] std::vector<std::string> find_exclusion_reasons(const sweep_trial& trial);

/// Makes the record of a trial of `plan`, which is not part of a run yet.
[[nodiscard]] record make_record(const sweep_plan& plan, const sweep_trial& trial);

/// A trial of `plan` with all its figures.
[[nodiscard]] nlohmann::json make_json(const sweep_plan& plan, const sweep_trial& trial);

}  // namespace freshet::tool
