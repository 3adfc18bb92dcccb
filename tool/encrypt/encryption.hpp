// One run over a directory of files: what is to be done, by which strategy, and what came of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tool/encrypt/input_files.hpp"
#include "tool/workload/line_cipher.hpp"

namespace freshet::tool {

/// Bytes that a line may have in either direction: what became of the longest one must be fit to be turned back.
[[nodiscard]] constexpr std::size_t longest_line_of(const cipher_plan& plan) noexcept {
  return plan.decrypt ? (plan.longest + 2) / 3 * 4 : plan.longest;
}
/// Threads that one process may be told to take.
inline constexpr unsigned most_threads = 1024;

enum class strategy : std::uint8_t {
  streaming,  ///< each thread has its list of files: read a line, treat it, write it
  buffering,  ///< the same, but read a whole file, treat all of it, write all of it
  pipelined,  ///< freshet::each_line over all files
  async,      ///< reads and writes by io_uring, ahead of the workers and behind them
};
[[nodiscard]] std::string_view name_of(strategy how) noexcept;

/// Which streams `streaming` and `buffering` are written with.
enum class stream_kind : std::uint8_t { std, freshet };

struct encryption_plan {
  cipher_plan cipher = {};
  strategy how = strategy::pipelined;
  unsigned threads = 1;
  stream_kind streams = stream_kind::std;
};

/// How far it is; read by others while the workers count.
struct encryption_progress {
  std::atomic<std::uint64_t> files = 0;
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> bytes_written = 0;
};

/// What a strategy is given. Each file of `in` becomes one of the same name in `out`, which appears complete or not at
/// all; a file of that name is replaced.
struct encryption_job {
  std::filesystem::path in;
  std::filesystem::path out;
  std::span<const input_file> files;
  encryption_plan plan;
};

/// Does the job by plan.how. What was finished before a failure stays; what was not is gone.
/// @throws freshet::error, freshet::line_error or another std::exception that names file and place; interrupted
void encrypt(const encryption_job& job, encryption_progress& done);

// One function per strategy, in a file of its own; called by encrypt().
void encrypt_streaming(const encryption_job& job, encryption_progress& done);
void encrypt_buffering(const encryption_job& job, encryption_progress& done);
void encrypt_pipelined(const encryption_job& job, encryption_progress& done);
void encrypt_async(const encryption_job& job, encryption_progress& done);

/// What is best for these files on this machine, and why.
struct strategy_choice {
  strategy how = strategy::pipelined;
  std::string why;  ///< one sentence, figures included
};
/// By their sizes, what of them the page cache has, the threads, the measured work per byte, and the profile of `out`'s
/// file system.
/// @param cold  that none will be in memory by then, whatever is now
[[nodiscard]] strategy_choice choose_strategy(const encryption_job& job, bool cold = false);

}  // namespace freshet::tool
