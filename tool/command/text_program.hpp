// `freshet text` as a process of its own: what a program gets that opens files by a plan.
#pragma once

#include <filesystem>

#include "tool/base/scratch.hpp"
#include "tool/search/prediction.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Starts processes that write files below one directory.
class text_program {
 public:
  /// @throws freshet::error  if nothing can be created in `directory`
  explicit text_program(const std::filesystem::path& directory);

  /// Starts a process that writes two files by the plan, one after another, and removes them. Before, the file system
  /// has written out all it holds and its device is idle. A process that fails leaves invalid trials with its reason.
  /// Precondition: the plan writes text. @throws freshet::error; interrupted
  [[nodiscard]] program_files run(const trial_plan& plan);

 private:
  std::filesystem::path directory_;
  scratch files_;
};

}  // namespace freshet::tool
