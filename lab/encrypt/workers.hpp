// Threads that encrypt files. For `streaming` and `buffering`, each thread has its own list of files from the start,
// and the threads share nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/encrypt/encryption.hpp"

namespace freshet::tool {

/// Where a line begins.
struct line_place {
  const std::filesystem::path& file;
  std::uint64_t number;  ///< from 1
  std::uint64_t offset;
};

/// What one thread works with: its cipher, its counters, and the job.
class line_worker {
 public:
  line_worker(const encryption_job& job, encryption_progress& done, std::stop_token stop, unsigned number)
      : job_{job}, done_{done}, stop_{std::move(stop)}, number_{number}, cipher_{job.plan.cipher} {}

  /// The number of this thread, from 0.
  [[nodiscard]] unsigned number() const noexcept { return number_; }
  [[nodiscard]] const encryption_job& job() const noexcept { return job_; }
  [[nodiscard]] std::filesystem::path target_of(const input_file& file) const { return job_.out / file.name; }

  /// To be called now and then, so that a thread does not outlive the run.
  /// @throws interrupted if the user interrupted; an internal type that ends this thread if another thread has failed
  void throw_if_stopped() const;
  /// Encrypts or decrypts `line`, and appends "\n" if the line `has_end`. The result is valid until the next call.
  /// @throws freshet::error  naming `place` if the line cannot be decrypted
  [[nodiscard]] std::string_view transform(std::string_view line, bool has_end, const line_place& place);
  /// Adds to the counters, and to those of the progress about once per MiB.
  void count(std::uint64_t bytes_read, std::uint64_t bytes_written);
  /// Adds one file to the progress.
  void finish_file();

 private:
  void publish_counts();

  const encryption_job& job_;
  encryption_progress& done_;
  std::stop_token stop_;
  unsigned number_;
  line_cipher cipher_;
  std::vector<char> room_;
  std::uint64_t bytes_read_ = 0;     // not yet part of the progress
  std::uint64_t bytes_written_ = 0;  // not yet part of the progress
};

/// Calls `work` on as many threads as `job` asks for, but not on more than it has files. When one thread fails, the
/// others stop at their next throw_if_stopped(). @throws the first failure, after all threads have ended
void run_workers(const encryption_job& job, encryption_progress& done, const std::function<void(line_worker&)>& work);

/// Calls `process` for every file of `job`, on as many threads as it asks for, each with a share of the files.
/// @throws as run_workers()
void process_lists(const encryption_job& job, encryption_progress& done,
                   const std::function<void(const input_file&, line_worker&)>& process);

}  // namespace freshet::tool
