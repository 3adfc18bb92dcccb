// A child process: starts another program, talks to it by lines, and ends it whatever it does.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/os/file.hpp"

namespace freshet::tool {

/// A program failed to do what it should: the reason, and the last lines of its output.
class child_failure : public std::runtime_error {
 public:
  child_failure(const std::string& why, std::string last_words)
      : std::runtime_error{why}, last_words_{std::move(last_words)} {}
  /// The last lines of its error output, without control characters.
  [[nodiscard]] const std::string& last_words() const noexcept { return last_words_; }

 private:
  std::string last_words_;
};

/// This process's environment with `changes` ("NAME=value") applied.
[[nodiscard]] std::vector<std::string> merge_environment(const std::vector<std::string>& changes);

/// The path of the program that this process runs; where /proc is missing, the one by which it was started.
[[nodiscard]] std::filesystem::path own_program();

/// The program in PATH, or in the directories `beside` it ("/usr/sbin:/sbin"), that a command's name stands for; empty
/// if there is none.
[[nodiscard]] std::filesystem::path find_command(std::string_view name, std::string_view beside = {});

/// A program to start.
struct child_call {
  std::vector<std::string> words;                                ///< the command line; the program is looked up in PATH
  std::filesystem::path directory = "/";                         ///< its working directory
  std::vector<std::string> environment = merge_environment({});  ///< "NAME=value"; its whole environment
  double time_limit = 300;                                       ///< seconds that each wait may take
  std::size_t output_kept = 4096;                                ///< bytes of its error output, the last ones
  const detail::os::file* kept_open = nullptr;                   ///< stays open in it, and in what it starts
  bool ends_with_parent = false;  ///< gets SIGTERM when this process ends, even killed; what it starts does not
  /// A small process starts it and ends, so that its peak memory is its own: the kernel counts what a process was
  /// before it became a program, which is a copy of this one otherwise. Preconditions: `talk`; this process adopts
  /// orphans (left_behind).
  bool counts_own_memory = false;
};

/// A child process in a process group of its own. The destructor kills the whole group. The end of its standard error
/// is kept for error messages.
class child {
 public:
  /// `talk`: its standard input and output are pipes to this process. `listen`: its standard output is treated as its
  /// error output, and its input is empty.
  enum class connection : std::uint8_t { talk, listen };

  /// @throws child_failure  if the program cannot be started; freshet::error  if the pipes cannot be created
  child(const child_call& call, connection how);
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child();

  [[nodiscard]] pid_t process_id() const noexcept { return process_id_; }

  /// Limits the files that it writes to `bytes` and disables core dumps.
  void limit_files(std::uint64_t bytes) const;
  /// Waits for its next line, which must be `word`. @throws child_failure  if it is another, or there is none;
  /// interrupted
  void expect(std::string_view word);
  /// The same for a line that may have more after the word and a space. Returns that, without control characters.
  [[nodiscard]] std::string expect_with_more(std::string_view word);
  /// Writes the line "go" to it. Does nothing if it has ended.
  void send_go();
  /// Closes its standard input.
  void close_input();
  /// Waits until it ends. Its counters can be read until one of the next two calls. @throws child_failure  if that
  /// takes too long; interrupted
  void wait_for_end();
  /// Waits until it ends. @throws child_failure  unless it exits with 0; interrupted
  void wait_for_success();
  /// Waits until it ends. Returns its exit code, or 128 + n if signal n ended it. @throws child_failure  if that takes
  /// too long; interrupted
  [[nodiscard]] int wait_for_exit();
  /// Its exit code; negative while it runs and if a signal ended it.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  /// Bytes that it, or one of the processes that it waited for, had in memory at most, once it has ended and was waited
  /// for; until then 0. Precondition: counts_own_memory.
  [[nodiscard]] std::uint64_t peak_memory() const noexcept { return peak_memory_; }

  [[nodiscard]] std::string last_words() const;
  /// The first line of its error output, as far as that is kept: mkfs names what is wrong before it explains itself.
  [[nodiscard]] std::string first_words() const;
  /// The end of its error output as it wrote it, at most call.output_kept bytes.
  [[nodiscard]] const std::string& last_output() const noexcept { return last_output_; }

 private:
  void start(const child_call& call, connection how);
  void hand_over();
  std::string take_line(std::string_view word);
  void read_output(int milliseconds);
  [[nodiscard]] bool has_ended() const;
  int reap_status();
  std::string reap();
  void end_group() const noexcept;
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_for_line(std::string_view line, std::string_view expected) const;

  pid_t process_id_ = -1;
  pid_t group_id_ = -1;
  double time_limit_;
  std::size_t output_kept_;
  int exit_code_ = -1;
  std::uint64_t peak_memory_ = 0;
  detail::os::file stdin_;
  detail::os::file stdout_;
  detail::os::file stderr_;
  std::string output_;       // standard output that expect() has not consumed
  std::string last_output_;  // the end of standard error
};

/// Runs a program to its end. Returns the last lines that it printed. @throws child_failure  unless it exits with 0;
/// interrupted
std::string run_program(const child_call& call);

/// The last `lines` lines of `text`, with control characters replaced, so that they cannot affect a terminal.
[[nodiscard]] std::string last_lines(std::string_view text, std::size_t lines);

}  // namespace freshet::tool
