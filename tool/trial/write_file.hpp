// Writes one file as a plan says: by the library, or by a baseline.
#pragma once

#include <filesystem>
#include <string>

#include "tool/trial/trial.hpp"
#include "tool/workload/verify.hpp"
#include "tool/workload/workload.hpp"

namespace freshet::tool {

/// What became of a file.
struct written_file {
  amount written;
  std::string method;  ///< the one at work
};

/// Opens, writes and closes `path`; with durability `at_close` and `each_write` the device has it in the end. `data` is
/// for the workload `blocks`; may be null for `text`. @throws freshet::error; interrupted
[[nodiscard]] written_file write_file(const trial_plan& plan, const std::filesystem::path& path,
                                      const block_data* data);

/// Why the plan makes no sense, whatever the directory: no such method, a baseline or a method that cannot do it. Empty
/// where it does.
[[nodiscard]] std::string why_impossible(const trial_plan& plan);

/// The plan as it will be carried out: synchronous methods have one block in memory whatever the plan says, ordered
/// ones two at most, and baselines know nothing of it.
[[nodiscard]] trial_plan effective(trial_plan plan);

/// Has the device write what it holds of `path`. @throws freshet::error
void sync_file(const std::filesystem::path& path);

/// What a file holds in the end.
struct file_content {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< workload/checksum.hpp
};

/// What the plan's workload writes into a file, without writing one. @throws interrupted
[[nodiscard]] file_content content_of(const trial_plan& plan, const block_data* data);

/// What a look at a file's content showed.
struct content_check {
  bool matches = true;
  std::uint64_t bytes = 0;  ///< that were compared
};

/// Whether `path` holds what the plan's workload writes, and nothing else, as far as `how` says to look.
/// @throws freshet::error; interrupted
[[nodiscard]] content_check check_content(const std::filesystem::path& path, const trial_plan& plan,
                                          const block_data* data, sampling how = {});

}  // namespace freshet::tool
