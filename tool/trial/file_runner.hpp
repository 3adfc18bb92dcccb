// Runs the trials of plans: writes or reads files as a plan says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <freshet/profile.hpp>

#include "tool/trial/trial.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// Where the work of a trial takes place.
enum class trial_process : std::uint8_t {
  shared,  ///< in this process
  own,     ///< in a copy of this process, so that each file is the first one of its process. Precondition: one thread
};

/// The trials of one run in one directory. They share a scratch directory, which the first of them makes and the
/// destructor removes, and the files that reading trials read.
class file_runner {
 public:
  /// Without `memory`, the memory of the machine is prepared for each trial.
  explicit file_runner(std::filesystem::path directory, std::shared_ptr<memory_preparation> memory = {},
                       trial_process process = trial_process::shared);
  /// Prepares the memory of the machine, and brings it to rest as long as that takes less than `patience` seconds in
  /// all.
  file_runner(std::filesystem::path directory, double patience);
  file_runner(const file_runner&) = delete;
  file_runner& operator=(const file_runner&) = delete;
  ~file_runner();

  /// Makes trials whose prior is the profile use `entry` from now on, instead of the profile that is in force.
  /// Precondition: their work takes place in processes of their own.
  void use_profile(file_system_profile entry) { profile_ = std::move(entry); }

  /// Has each file that is written read back from the device, untimed, which fills trial_result::cold_read.
  void read_back_all() noexcept { reads_back_ = true; }

  /// Runs `plan` once, from a clean start: untimed preparation, the timed work, untimed checks and cleaning.
  /// @throws freshet::error if the plan cannot be run at all; interrupted; child_failure  if a process of its own ended
  /// without a result
  [[nodiscard]] trial_result run(const trial_plan& plan);

 private:
  class session;

  std::filesystem::path directory_;
  std::shared_ptr<memory_preparation> memory_;
  double patience_ = usual_patience;
  trial_process process_ = trial_process::shared;
  bool reads_back_ = false;
  std::optional<file_system_profile> profile_;
  std::unique_ptr<session> session_;  // made late, so that a directory that cannot be written to fails its trials only
};

}  // namespace freshet::tool
