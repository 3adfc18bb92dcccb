// Another process that reads a growing file, or reads it after the writing process was killed, sees a prefix of what
// was written and never a wrong byte.
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"
#include "tests/support/writing_child.hpp"

namespace freshet {
namespace {

using test::all_bytes;
using test::writing_child;
constexpr std::size_t file_size = test::file_of_child;

// Reads a growing file from front to back, each time up to its current end.
class watcher {
 public:
  explicit watcher(std::filesystem::path path) : path_{std::move(path)}, buffer_(1 << 20, '\0') {}
  ~watcher() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

  // Compares the bytes that are new; returns false at the first wrong one.
  bool look() {
    if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return true;
    const auto size = static_cast<std::size_t>(status.st_size);
    while (seen_ < size) {
      const auto read =
          ::pread(descriptor_, buffer_.data(), std::min(buffer_.size(), size - seen_), static_cast<off_t>(seen_));
      if (read <= 0) return false;
      const auto length = static_cast<std::size_t>(read);
      if (std::string_view{buffer_.data(), length} != std::string_view{all_bytes()}.substr(seen_, length)) return false;
      seen_ += length;
    }
    return true;
  }
  [[nodiscard]] std::size_t seen() const { return seen_; }

 private:
  std::filesystem::path path_;
  std::string buffer_;
  int descriptor_ = -1;
  std::size_t seen_ = 0;
};

class prefix : public testing::TestWithParam<test::way> {
 protected:
  void SetUp() override {
    // Uses a child process: POSIX aio does not work in the children of a process that has used it.
    const auto answer = directory_ / "answer";
    const pid_t asking = ::fork();
    if (asking == 0) {
      std::ofstream{answer} << test::why_not(GetParam().method, directory_.path());
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(asking, &status, 0), asking);
    ASSERT_EQ(status, 0) << "methods() did not answer";
    ASSERT_TRUE(std::filesystem::exists(answer));
    if (const auto reason = test::content_of(answer); !reason.empty()) GTEST_SKIP() << reason;
    std::ignore = all_bytes();
  }

  test::temporary_directory directory_ = test::directory_for(GetParam().method);
  std::filesystem::path path_ = directory_ / "file";
};

TEST_P(prefix, is_all_that_a_watcher_sees) {
  for (const std::uint64_t number : test::sample(test::numbers_to(5), 2)) {
    const auto pattern = static_cast<unsigned>(number - 1);
    SCOPED_TRACE(pattern);
    std::filesystem::remove(path_);
    writing_child child{path_, GetParam().options(), pattern};
    ASSERT_TRUE(child.started());
    watcher eyes{path_};
    do ASSERT_TRUE(eyes.look()) << "wrong byte after " << eyes.seen();
    while (!child.has_ended());
    EXPECT_TRUE(child.succeeded());
    EXPECT_TRUE(eyes.look());
    EXPECT_EQ(eyes.seen(), file_size);
  }
}

TEST_P(prefix, is_all_that_is_left_by_a_kill) {
  const std::size_t moments = test::sample_size(25, 10);
  std::mt19937 random{static_cast<std::mt19937::result_type>(test::sample_seed())};
  std::size_t cut_short = 0;
  for (unsigned moment = 0; moment < moments; ++moment) {
    std::filesystem::remove(path_);
    writing_child child{path_, GetParam().options(), moment};
    ASSERT_TRUE(child.started());
    // Depends on the size of the file, so that most kills happen during the writing whatever its speed.
    const auto goal = std::uniform_int_distribution<std::uintmax_t>{0, file_size}(random);
    std::error_code missing;
    for (std::uintmax_t size = 0; !child.has_ended() && size < goal;) {
      size = std::filesystem::file_size(path_, missing);
      if (missing) size = 0;
    }
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 300});
    child.kill_and_wait();
    EXPECT_TRUE(child.was_killed() || child.succeeded());
    if (!std::filesystem::exists(path_)) continue;
    const auto left = test::content_of(path_);
    ASSERT_TRUE(std::string_view{all_bytes()}.starts_with(left)) << "of " << left.size() << " bytes";
    if (left.size() < file_size) ++cut_short;
  }
  EXPECT_GT(cut_short, 0U) << "no kill fell into the writing";
}

INSTANTIATE_TEST_SUITE_P(all, prefix, testing::ValuesIn(test::ordered_ways),
                         [](const auto& which) { return which.param.name(); });

}  // namespace
}  // namespace freshet
