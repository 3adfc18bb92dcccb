// Another program at work: started, talked to by lines, and ended whatever it does.
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
#include "tool/measure/clock.hpp"

namespace freshet::tool {

/// Another program did not do what it was to do: why, and what it said last.
class child_failure : public std::runtime_error {
 public:
  child_failure(const std::string& why, std::string last_words)
      : std::runtime_error{why}, last_words_{std::move(last_words)} {}
  /// Of its error output; lines, without control characters.
  [[nodiscard]] const std::string& last_words() const noexcept { return last_words_; }

 private:
  std::string last_words_;
};

/// A program to start.
struct child_call {
  std::vector<std::string> words;        ///< the first is looked for in PATH
  std::filesystem::path directory;       ///< where it works
  std::vector<std::string> environment;  ///< "NAME=value", all that it gets
  double time_limit = 300;               ///< seconds that each wait for it may take
};

/// A child process in a process group of its own, which ends with this object, with all processes in it. What it says
/// on standard error is kept, as far as it may be its last words.
class child {
 public:
  /// `talk`: its input and output are pipes to here; `listen`: its output is heard as its error output is, and its
  /// input is empty.
  enum class manner : std::uint8_t { talk, listen };

  /// @throws child_failure  when it cannot be started; freshet::error  when there are no pipes to it
  child(const child_call& call, manner how);
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child();

  [[nodiscard]] pid_t number() const noexcept { return number_; }

  /// Files that it writes can get no larger, and no core is left of it.
  void limit_files(std::uint64_t bytes) const;
  /// Waits for its next line, which must be `word`. @throws child_failure; interrupted
  void expect(std::string_view word);
  /// Has it go on: writes it a line. It may have ended.
  void go_on();
  /// Its input ends.
  void hang_up();
  /// Waits for its end. @throws child_failure  unless that is an exit with 0; interrupted
  void wait_for_success();
  /// The exit code of one that has failed; negative where it has none.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

  [[nodiscard]] std::string last_words() const;

 private:
  void start(const child_call& call, manner how);
  void listen(int milliseconds);
  [[nodiscard]] bool has_ended() const;
  void wait_for_end();
  std::string reap();
  void end_group() const noexcept;
  [[noreturn]] void fail(const std::string& why) const;

  pid_t number_ = -1;
  double time_limit_;
  int exit_code_ = -1;
  detail::os::file to_;
  detail::os::file from_;
  detail::os::file errors_;
  std::string said_;  // on standard output, and not yet expected
  std::string last_;
};

/// This process's environment with some variables set anew: "NAME=value".
[[nodiscard]] std::vector<std::string> environment_with(const std::vector<std::string>& changes);

/// The last `lines` lines of what a program said; nothing in them moves a cursor or changes a colour.
[[nodiscard]] std::string last_lines(std::string_view text, std::size_t lines);

}  // namespace freshet::tool
