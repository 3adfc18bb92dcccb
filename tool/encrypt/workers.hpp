// Threads that treat files. For `streaming` and `buffering` each has its whole list of them from the start, and nothing
// is shared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/encrypt/encryption.hpp"

namespace freshet::tool {

/// One thread's hands.
class line_worker {
 public:
  line_worker(const encryption_job& job, encryption_progress& done, std::stop_token stop, unsigned number)
      : job_{job}, done_{done}, stop_{std::move(stop)}, number_{number}, cipher_{job.plan.cipher} {}

  /// From 0 on.
  [[nodiscard]] unsigned number() const noexcept { return number_; }
  [[nodiscard]] const encryption_job& job() const noexcept { return job_; }
  [[nodiscard]] std::filesystem::path target_of(const input_file& file) const { return job_.out / file.name; }

  /// Nothing, unless another thread failed or the user wishes to stop. @throws interrupted, or what ends this thread
  void go_on() const;
  /// What becomes of `line`, with "\n" behind it where it `has_end`; valid until the next call.
  /// @throws std::invalid_argument  as line_cipher::transform()
  [[nodiscard]] std::string_view treat(std::string_view line, bool has_end);
  /// Has the progress show what was done, now and then.
  void count(std::uint64_t bytes_read, std::uint64_t bytes_written);
  void file_done();

 private:
  void show_counts();

  const encryption_job& job_;
  encryption_progress& done_;
  std::stop_token stop_;
  unsigned number_;
  line_cipher cipher_;
  std::vector<char> room_;
  std::uint64_t bytes_read_ = 0;     // and not shown yet
  std::uint64_t bytes_written_ = 0;  // and not shown yet
};

/// A line of `path` is not what it must be. @throws freshet::error  always
[[noreturn]] void reject_line(const std::filesystem::path& path, std::uint64_t number, std::uint64_t offset,
                              std::string_view why);

/// Has `work` called by as many threads as `job` says, though by no more than it has files. When one fails, the others
/// stop at their next go_on(). @throws the first failure, once all threads have ended
void run_workers(const encryption_job& job, encryption_progress& done, const std::function<void(line_worker&)>& work);

/// Has `treat` called for every file of `job`, by as many threads as it says, each with a share of the files.
/// @throws as run_workers()
void treat_lists(const encryption_job& job, encryption_progress& done,
                 const std::function<void(const input_file&, line_worker&)>& treat);

}  // namespace freshet::tool
