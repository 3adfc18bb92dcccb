// The freshet command of this build, as a process of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/support/file_content.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// The exit code of an ended process (-signal if a signal killed it) and its outputs.
struct ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// The command that tests start. It does not bring memory to rest, unless tests run completely.
[[nodiscard]] inline std::string tested_command() {
  return is_complete() ? FRESHET_COMMAND : FRESHET_COMMAND_FOR_TESTS;
}

/// The path of a command that every user may start: a copy if other users cannot reach it, for instance in root's home.
/// Precondition: the first call is made by a user who may read the command.
[[nodiscard]] inline const std::string& command_for_all() {
  const auto is_open = [](std::filesystem::path each) {
    using std::filesystem::perms;
    for (; each != each.root_path(); each = each.parent_path())
      if ((status(each).permissions() & perms::others_exec) == perms::none) return false;
    return true;
  };
  static std::optional<temporary_directory> place;
  static const std::string path = [&] {
    if (is_open(tested_command())) return tested_command();
    place.emplace();
    std::filesystem::permissions(place->path(), std::filesystem::perms{0755});
    std::filesystem::copy_file(tested_command(), *place / "freshet");
    const auto laboratory = std::filesystem::path{tested_command()}.parent_path() / "freshet-lab";
    if (exists(laboratory)) std::filesystem::copy_file(laboratory, *place / "freshet-lab");
    return (*place / "freshet").string();
  }();
  return path;
}

/// Starts `freshet`, one process at a time, and collects its output in files. It keeps its trials below state_home(),
/// unless the test has set XDG_STATE_HOME.
class freshet_command {
 public:
  freshet_command() = default;
  /// Starts `program` in place of tested_command().
  explicit freshet_command(std::string program) : program_{std::move(program)} {}

  [[nodiscard]] pid_t start(std::vector<std::string> words) const { return start(std::move(words), out_, err_); }

  [[nodiscard]] ended wait_for(pid_t process) const {
    int status = 0;
    ::waitpid(process, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content_of(out_), content_of(err_)};
  }

  [[nodiscard]] ended run(std::vector<std::string> words) const { return wait_for(start(std::move(words))); }

  /// Runs it with its standard error on a terminal; `err` is what the terminal showed.
  [[nodiscard]] ended run_on_terminal(std::vector<std::string> words) const {
    ended done;
    const std::string shown =
        watch([&](const char* screen) { return start(std::move(words), out_, screen); }, 80, done);
    done.err = shown;
    return done;
  }

  /// Runs it with its standard output on a terminal of so many columns; `out` is what the terminal showed.
  [[nodiscard]] ended run_shown(std::vector<std::string> words, unsigned short columns = 80) const {
    ended done;
    const std::string shown =
        watch([&](const char* screen) { return start(std::move(words), screen, err_); }, columns, done);
    done.out = shown;
    return done;
  }

  [[nodiscard]] std::filesystem::path state_home() const { return outputs_ / "state"; }

 private:
  /// What a terminal showed of the process that `begin` starts on it.
  template <typename Begin>
  [[nodiscard]] std::string watch(const Begin& begin, unsigned short columns, ended& done) const {
    const int screen = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    if (screen < 0 || ::grantpt(screen) != 0 || ::unlockpt(screen) != 0)
      throw std::system_error{errno, std::generic_category(), "no terminal can be opened here (/dev/pts)"};
    EXPECT_EQ(::ioctl(screen, TIOCSWINSZ, &size), 0);
    const pid_t process = begin(::ptsname(screen));
    std::string shown;
    char piece[4096];
    // Reading fails when nobody has the terminal open any more.
    for (ssize_t got = 0; (got = ::read(screen, piece, sizeof piece)) > 0;)
      shown.append(piece, static_cast<std::size_t>(got));
    ::close(screen);
    done = wait_for(process);
    return shown;
  }

  // The environment of this process, except that trials are kept and devices are locked elsewhere: tests must not add
  // to the user's store, nor wait for the tests beside them.
  [[nodiscard]] std::vector<char*> surroundings() const {
    static const temporary_directory locks;
    static const std::string directory_of_locks = "TMPDIR=" + locks.path().string();
    std::vector<char*> all{const_cast<char*>(state_home_.c_str()), const_cast<char*>(directory_of_locks.c_str())};
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view setting{*each};
      if (!setting.starts_with("XDG_STATE_HOME=") && !setting.starts_with("TMPDIR=")) all.push_back(*each);
    }
    all.push_back(nullptr);
    return all;
  }

  [[nodiscard]] pid_t start(std::vector<std::string> words, const std::filesystem::path& out,
                            const std::filesystem::path& err) const {
    words.insert(words.begin(), ::access(program_.c_str(), X_OK) == 0 ? program_ : for_all_);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t outputs;
    ::posix_spawn_file_actions_init(&outputs);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY;
    ::posix_spawn_file_actions_addopen(&outputs, STDOUT_FILENO, out.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&outputs, STDERR_FILENO, err.c_str(), flags, 0600);
    pid_t process = -1;
    const int fault =
        ::posix_spawn(&process, arguments.front(), &outputs, nullptr, arguments.data(), surroundings().data());
    ::posix_spawn_file_actions_destroy(&outputs);
    // A test must not continue with -1: kill(-1) sends the signal to every process.
    if (fault != 0) throw std::system_error{fault, std::generic_category(), words.front()};
    return process;
  }

  std::string program_ = tested_command();
  const std::string& for_all_ = command_for_all();
  temporary_directory outputs_;
  std::filesystem::path out_ = outputs_.path() / "out";
  std::filesystem::path err_ = outputs_.path() / "err";
  std::string state_home_ = "XDG_STATE_HOME=" + state_home().string();
};

/// Whether the tested command has this command: a build may leave out abilities of the laboratory.
[[nodiscard]] inline bool has_command(const std::string& name) {
  static const std::string help = freshet_command{}.run({"help"}).out;
  return help.find("\n  " + name + ' ') != std::string::npos;
}

/// What a test that needs these commands is skipped with: "this build has no sweep"; empty if all are there.
[[nodiscard]] inline std::string describe_missing(const std::vector<std::string>& needed) {
  for (const std::string& each : needed)
    if (!has_command(each)) return "this build has no " + each;
  return {};
}

/// Leaves out the calls, whose first words are commands, of commands that this build does not have.
inline void leave_out_missing(std::vector<std::vector<std::string>>& calls) {
  std::erase_if(calls, [](const std::vector<std::string>& words) { return !has_command(words.front()); });
}

}  // namespace freshet::test
