// Writes one file as a plan says: by the library, or by a baseline.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <freshet/options.hpp>

#include "src/method/registry.hpp"
#include "tool/trial/trial.hpp"
#include "tool/workload/verify.hpp"
#include "tool/workload/workloads.hpp"

namespace freshet::tool {

struct baseline;

/// A plan together with what its method's name stands for, looked up once. Converts from a plan.
struct resolved_plan : trial_plan {
  resolved_plan(trial_plan plan);  // NOLINT(google-explicit-constructor): a plan says it all

  const detail::method_entry* entry = nullptr;  ///< null for baselines, "auto" and names that nothing has
  const baseline* program = nullptr;            ///< null for methods of the library

  [[nodiscard]] const trial_plan& plan() const noexcept { return *this; }
};

/// The method that a program names which does what the plan says: none but "auto" makes the library ask the profile.
[[nodiscard]] std::string_view name_for_library(const trial_plan& plan);

/// What a write of one file came to.
struct written_file {
  amount written;
  std::string method;          ///< the method that wrote it: which one "auto" chose, or fell back to
  std::uint64_t stored = 0;    ///< bytes of the file; others than were written if it is compressed or encrypted
  freshet::checksum checksum;  ///< if the library's options asked for one
};

/// Opens, writes and closes `path`; with durability `at_close` and `each_write` the device has it on return. `data` may
/// be null for workloads that need none. `more` has the library's options that no plan has, such as `caching`.
/// @throws freshet::error; interrupted
[[nodiscard]] written_file write_file(const resolved_plan& plan, const std::filesystem::path& path,
                                      const block_data* data, const writer_options& more = {});

/// Why the plan is impossible in any directory: no such method, or a baseline or method that cannot do it. Empty if it
/// is possible.
[[nodiscard]] std::string why_impossible(const resolved_plan& plan);

/// The plan as it is carried out: block and depth are the method's own where the plan names none; synchronous methods
/// have one block in memory whatever the plan says, ordered ones at most two, and baselines know no blocks.
[[nodiscard]] trial_plan normalize(const resolved_plan& plan);

/// Makes the device write what the system holds of `path`. @throws freshet::error
void sync_file(const std::filesystem::path& path);

/// The content of a whole file.
struct file_content {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< workload/checksum.hpp
};

/// Computes what the plan's workload writes into a file, without writing one. @throws interrupted
[[nodiscard]] file_content compute_content(const resolved_plan& plan, const block_data* data);

/// The result of comparing a file with its workload.
struct content_check {
  bool matches = true;
  std::uint64_t bytes = 0;  ///< compared
};

/// Compares `path` with what the plan's workload writes, as far as `how` says. @throws freshet::error; interrupted
[[nodiscard]] content_check check_content(const std::filesystem::path& path, const resolved_plan& plan,
                                          const block_data* data, sampling how = {});

/// Reads all of a file by the library, for one that is stored in another form: compressed, encrypted, or with a
/// checksum that is to be compared, too. @throws freshet::error  also if it is damaged; interrupted
[[nodiscard]] content_check check_stored_content(const std::filesystem::path& path, const resolved_plan& plan,
                                                 const block_data* data, const reader_options& options);

/// The sample that is enough after each trial: to read all of a file back would take longer than to write it, and leave
/// time for half as many trials.
inline constexpr unsigned checked_block_of = 8;

}  // namespace freshet::tool
