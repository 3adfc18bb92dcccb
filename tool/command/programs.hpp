// `freshet text` as a process of its own, which gets what any program gets that opens files by a plan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <freshet/profile.hpp>

#include "tool/base/scratch.hpp"
#include "tool/search/prediction.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Starts processes that write files below one directory, each after the file system has written out all it holds and
/// its device is idle. A process that fails leaves invalid trials with its reason.
class text_program {
 public:
  /// `program` is a build of freshet; empty: this one. @throws freshet::error  if nothing can be created in `directory`
  explicit text_program(const std::filesystem::path& directory, std::filesystem::path program = {});

  /// Makes programs by plans whose prior is the profile use this entry. @throws freshet::error  if it cannot be saved
  void use_profile(const file_system_profile& entry);

  /// Starts a process that writes two files by the plan, one after another, and removes them. Precondition: the plan
  /// writes text. @throws freshet::error; interrupted
  [[nodiscard]] program_files run_twice(const trial_plan& plan);
  /// The same with one file.
  [[nodiscard]] trial_result run(const trial_plan& plan);

 private:
  std::vector<trial_result> run(const trial_plan& plan, unsigned files);

  std::filesystem::path directory_;
  std::filesystem::path program_;
  scratch files_;
  std::filesystem::path profile_;  // empty: the one in force
};

}  // namespace freshet::tool
