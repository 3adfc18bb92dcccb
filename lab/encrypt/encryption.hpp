// One run over a directory of files: its plan, its strategies, and its progress.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <freshet/options.hpp>

#include "lab/encrypt/input_files.hpp"
#include "lab/encrypt/line_cipher.hpp"
#include "tool/base/enum_names.hpp"

namespace freshet::tool {

/// The most bytes that an input line may have. An encrypted line is longer than its original, so decrypting allows
/// more.
[[nodiscard]] constexpr std::size_t max_line_length(const cipher_plan& plan) noexcept {
  return plan.decrypt ? (plan.longest + 2) / 3 * 4 : plan.longest;
}
/// The most threads that one process may be given.
inline constexpr unsigned most_threads = 1024;

enum class strategy : std::uint8_t {
  streaming,  ///< each thread has a list of files: read a line, transform it, write it
  buffering,  ///< the same, but read a whole file, transform it, and write it
  pipelined,  ///< freshet::each_line over all files
  async,      ///< reads and writes by io_uring, ahead of the workers and behind them
};
template <>
inline constexpr auto enum_names<strategy> = std::to_array<std::string_view>({"streaming", "buffering", "pipelined",
                                                                              "async"});

/// A strategy; empty for `auto`, which runs the one that choose_strategy() returns.
using wanted_strategy = std::optional<strategy>;
[[nodiscard]] std::string name_of(const wanted_strategy& how);
/// All of them, `auto` last.
[[nodiscard]] std::span<const wanted_strategy> wanted_strategies() noexcept;

/// The streams that `streaming` and `buffering` use.
enum class stream_kind : std::uint8_t { std, freshet };
template <>
inline constexpr auto enum_names<stream_kind> = std::to_array<std::string_view>({"std", "freshet"});

/// How files are read and written: by the library's readers, writers and streams. The streams of std take the buffer,
/// and the order of access for what they read.
struct file_use {
  std::optional<freshet::access> access = {};  ///< empty: as it comes
  freshet::caching caching = caching::automatic;
  std::size_t buffer = 0;  ///< bytes of each file's buffer, a power of two from 4 KiB; 0: as it comes

  [[nodiscard]] reader_options reading() const noexcept {
    return {.block = buffer, .access = order(), .caching = caching};
  }
  /// The file appears when it is complete.
  [[nodiscard]] writer_options writing() const noexcept {
    return {.block = buffer, .access = order(), .caching = caching, .hidden_until_closed = true};
  }
  friend bool operator==(const file_use&, const file_use&) = default;

 private:
  [[nodiscard]] freshet::access order() const noexcept { return access.value_or(freshet::access::sequential); }
};

struct encryption_plan {
  cipher_plan cipher = {};
  strategy how = strategy::pipelined;
  unsigned threads = 1;
  stream_kind streams = stream_kind::std;
  file_use files = {};  ///< `async` does it in its own way
};

/// How much is done. Workers add to it while other threads read it.
struct encryption_progress {
  std::atomic<std::uint64_t> files = 0;
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> bytes_written = 0;
};

/// The input of a strategy. Each file of `in` becomes a file of the same name in `out`, which appears complete or not
/// at all and replaces a file of that name.
struct encryption_job {
  std::filesystem::path in;
  std::filesystem::path out;
  std::span<const input_file> files;
  encryption_plan plan;
  /// Called in each thread that ends with the job, unlike those of oneTBB; calls `work`, and does what belongs around
  /// it, such as measuring the thread. Empty: nothing is done around it.
  std::function<void(const std::function<void()>& work)> around_thread = {};
};

/// Runs the job with the strategy plan.how. After a failure, the finished files stay and the others do
/// not exist.
/// @throws freshet::error, freshet::line_error or another std::exception that names file and place; interrupted
void encrypt(const encryption_job& job, encryption_progress& done);

/// Reads the output of the job back and compares it with what its input becomes. `done` counts its files and bytes.
/// @throws freshet::error  naming the first file that is wrong and where; interrupted
void verify_output(const encryption_job& job, encryption_progress& done);

// One function per strategy, each in a file of its own. encrypt() calls them.
void encrypt_streaming(const encryption_job& job, encryption_progress& done);
void encrypt_buffering(const encryption_job& job, encryption_progress& done);
void encrypt_pipelined(const encryption_job& job, encryption_progress& done);
void encrypt_async(const encryption_job& job, encryption_progress& done);
/// The part that `pipelined` and `async` share: runs `job` with freshet::each_line, which reads and writes with the
/// given options. @throws as encrypt()
void encrypt_by_pipeline(const encryption_job& job, encryption_progress& done, const reader_options& input,
                         const writer_options& output);

/// The best strategy for some files on this machine, and why.
struct strategy_choice {
  strategy how = strategy::pipelined;
  std::string why;  ///< one sentence with figures
};
/// Chooses by the sizes of the files, how much of them the page cache has, and whether a profile says how to read them.
/// @param cold  assume that the page cache will have none of the files
[[nodiscard]] strategy_choice choose_strategy(const encryption_job& job, bool cold = false);

}  // namespace freshet::tool
