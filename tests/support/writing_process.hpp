// Another process that disturbs a measurement by writing.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace freshet::test {

/// A process that is no child of the test. After begin() it writes `bytes`, or without end, and waits for the disk.
class writing_process {
 public:
  static constexpr auto name = "stranger";
  static constexpr std::uint64_t without_end = 0;

  /// `path` holds 1 MiB at any time. Precondition: `bytes` is a multiple of that.
  writing_process(const std::filesystem::path& path, std::uint64_t bytes) {
    if (::pipe2(go_.data(), O_CLOEXEC) != 0 || ::pipe2(done_.data(), O_CLOEXEC) != 0) ::_exit(1);
    const pid_t between = ::fork();
    if (between == 0) {
      // When `between` has ended, the writer is no longer a descendant of the test.
      const pid_t writer = ::fork();
      if (writer == 0) write(path, bytes);
      tell(done_[1], writer);
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    writer_ = hear(done_[0]);
  }
  writing_process(const writing_process&) = delete;
  writing_process& operator=(const writing_process&) = delete;
  ~writing_process() {
    ::kill(writer_, SIGKILL);
    // The writer's end of the pipe closes when the writer ends.
    ::close(done_[1]);
    while (hear(done_[0]) != 0) {
    }
    for (const int end : {go_[0], go_[1], done_[0]}) ::close(end);
  }

  void begin() const { tell(go_[1], 1); }
  void wait_until_written() const { hear(done_[0]); }

 private:
  static void tell(int pipe, pid_t process) {
    if (::write(pipe, &process, sizeof process) != sizeof process) ::_exit(1);
  }
  static pid_t hear(int pipe) {
    pid_t process = 0;
    return ::read(pipe, &process, sizeof process) == sizeof process ? process : 0;
  }

  [[noreturn]] void write(const std::filesystem::path& path, std::uint64_t bytes) const {
    ::prctl(PR_SET_NAME, name);
    ::alarm(600);  // no test takes as long; one that was killed leaves nobody behind
    ::close(done_[0]);
    const std::vector<char> piece(1 << 20, 'x');
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    hear(go_[0]);
    for (std::uint64_t written = 0; bytes == without_end || written < bytes; written += piece.size()) {
      if (::pwrite(file, piece.data(), piece.size(), 0) < 0 || ::fdatasync(file) != 0) ::_exit(1);
    }
    tell(done_[1], 1);
    ::pause();
    ::_exit(0);
  }

  std::array<int, 2> go_{};
  std::array<int, 2> done_{};
  pid_t writer_ = 0;
};

}  // namespace freshet::test
