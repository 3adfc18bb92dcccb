// The freshet command of this build, as a process of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "temporary_directory.hpp"

namespace freshet::test {

[[nodiscard]] inline std::string content(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// What an ended process left: its exit code (-signal, where one killed it) and its outputs.
struct ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Starts `freshet`; what it prints goes to files of this object's own, one process at a time.
class freshet_command {
 public:
  [[nodiscard]] pid_t start(std::vector<std::string> words) const { return start(std::move(words), err_); }

  [[nodiscard]] ended wait_for(pid_t process) const {
    int status = 0;
    ::waitpid(process, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(out_), content(err_)};
  }

  [[nodiscard]] ended run(std::vector<std::string> words) const { return wait_for(start(std::move(words))); }

  /// Runs it with its standard error on a terminal; `err` is what the terminal showed.
  [[nodiscard]] ended run_on_terminal(std::vector<std::string> words) const {
    const int screen = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_TRUE(screen >= 0 && ::grantpt(screen) == 0 && ::unlockpt(screen) == 0);
    const pid_t process = start(std::move(words), ::ptsname(screen));
    std::string shown;
    char piece[4096];
    // Reading fails when nobody has the terminal open any more.
    for (ssize_t got = 0; (got = ::read(screen, piece, sizeof piece)) > 0;)
      shown.append(piece, static_cast<std::size_t>(got));
    ::close(screen);
    ended done = wait_for(process);
    done.err = std::move(shown);
    return done;
  }

 private:
  [[nodiscard]] pid_t start(std::vector<std::string> words, const std::filesystem::path& err) const {
    words.insert(words.begin(), FRESHET_COMMAND);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t outputs;
    ::posix_spawn_file_actions_init(&outputs);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY;
    ::posix_spawn_file_actions_addopen(&outputs, STDOUT_FILENO, out_.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&outputs, STDERR_FILENO, err.c_str(), flags, 0600);
    pid_t process = -1;
    const int fault = ::posix_spawn(&process, FRESHET_COMMAND, &outputs, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&outputs);
    // No test may go on with -1: kill() takes that for every process there is.
    if (fault != 0) throw std::system_error{fault, std::generic_category(), FRESHET_COMMAND};
    return process;
  }

  temporary_directory outputs_;
  std::filesystem::path out_ = outputs_.path() / "out";
  std::filesystem::path err_ = outputs_.path() / "err";
};

}  // namespace freshet::test
