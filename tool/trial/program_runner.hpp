// Trials of programs of the user's, which write or read one file each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tool/base/scratch.hpp"
#include "tool/trial/trial.hpp"
#include "tool/trial/trial_runner.hpp"

namespace freshet::tool {

/// What all programs of a run have in common. In words for the shell, {} stands for the name of the file, which
/// otherwise follows them.
struct program_request {
  std::string check = {};   ///< words for the shell, after each trial: exit code 0 if the file is right; empty: none
  std::uint64_t size = 0;   ///< bytes of the file to read, or those of a program that leaves no file; 0: not known
  double time_limit = 600;  ///< seconds that a program, or the check, may take
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< that all trials together may write
};

/// Runs programs of the user's, each in a process of its own, with the working directory of this one.
class program_runner {
 public:
  /// Their files live in a scratch directory below `directory`, which the destructor removes. Without `memory`, that of
  /// the machine is prepared. @throws freshet::error  if nothing can be created in `directory`
  program_runner(const std::filesystem::path& directory, program_request request,
                 std::shared_ptr<memory_preparation> memory = {});

  /// Runs the program whose words are `plan.method` once; the class says whether it writes or reads, and which time
  /// counts. Where it fails, takes too long, leaves processes behind or writes nothing, and where the check fails, the
  /// trial is invalid and `work_failed`, with the reason. All its processes have ended in any case.
  /// Precondition: plans that read have a size. @throws freshet::error  also where it would write more than it may;
  /// interrupted
  [[nodiscard]] trial_result run(const trial_plan& plan);

 private:
  void measure(trial_result& trial, const std::filesystem::path& file);
  void run_program(trial_result& trial, const std::filesystem::path& file, trial_steps steps);
  [[nodiscard]] std::uint64_t enter_file(trial_result& trial, const std::filesystem::path& file) const;
  void check(const std::filesystem::path& file) const;
  void provide_file(trial_result& trial, const std::filesystem::path& file);

  scratch scratch_;
  program_request request_;
  trial_runner runner_;
  std::uint64_t size_to_read_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t largest_ = 0;  // bytes of a trial
};

}  // namespace freshet::tool
