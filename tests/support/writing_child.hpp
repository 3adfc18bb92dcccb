// A child process that writes a known file, to be watched or killed meanwhile.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include <freshet/writer.hpp>

#include "tests/support/writing.hpp"

namespace freshet::test {

/// Bytes that it writes.
inline constexpr std::size_t file_of_child = std::size_t{12} << 20;

/// All bytes of the file, computed once.
[[nodiscard]] inline const std::string& all_bytes() {
  static const std::string bytes = bytes_from(0, file_of_child);
  return bytes;
}

/// Writes pieces of changing length, with occasional flushes, determined by `pattern`.
inline void write_all_of_it(const std::filesystem::path& path, writer_options options, unsigned pattern) {
  options.block = std::size_t{64 << 10} << pattern % 5;
  writer out{path, options};
  std::minstd_rand random{pattern + 1};
  const std::size_t longest = pattern % 2 == 0 ? 3000 : 700'000;
  std::string_view rest = all_bytes();
  while (!rest.empty()) {
    const std::size_t length = std::min<std::size_t>(rest.size(), 1 + random() % longest);
    out.write(rest.substr(0, length));
    rest.remove_prefix(length);
    if (pattern % 3 == 0 && random() % (pattern % 2 == 0 ? 128 : 4) == 0) out.flush();
  }
  out.close();
}

/// A child process that writes the file. The destructor kills it and waits for it.
class writing_child {
 public:
  writing_child(const std::filesystem::path& path, const writer_options& options, unsigned pattern) {
    process_ = ::fork();
    if (process_ != 0) return;
    try {
      write_all_of_it(path, options, pattern);
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }
  writing_child(const writing_child&) = delete;
  writing_child& operator=(const writing_child&) = delete;
  ~writing_child() {
    if (process_ > 0) kill_and_wait();
  }

  [[nodiscard]] bool started() const { return process_ > 0; }
  [[nodiscard]] bool has_ended() {
    if (process_ > 0 && ::waitpid(process_, &status_, WNOHANG) == process_) process_ = 0;
    return process_ == 0;
  }
  [[nodiscard]] bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }
  [[nodiscard]] bool was_killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }
  void kill_and_wait() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, &status_, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = -1;
  int status_ = 0;
};

}  // namespace freshet::test
