// each_line() where the system refuses some threads, or all: those that there are do the work.
#include <freshet/each_line.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/child.hpp"
#include "tests/support/each_line.hpp"

namespace freshet {
namespace {

constexpr unsigned wanted = 4;

/// A control group of this test's own that limits how many threads its processes have together.
class thread_limit {
 public:
  explicit thread_limit(unsigned most) {
    for (const std::filesystem::path parent : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
      group_ = parent / ("freshet-test-" + std::to_string(::getpid()));
      std::error_code failure;
      if (!std::filesystem::create_directory(group_, failure)) continue;
      std::ofstream limit{group_ / "pids.max", std::ios::in};  // never creates it
      if (limit << most << std::flush) return;
      std::filesystem::remove(group_, failure);
    }
    group_.clear();
  }
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  ~thread_limit() {
    if (is_possible()) ::rmdir(group_.c_str());
  }

  [[nodiscard]] bool is_possible() const { return !group_.empty(); }
  /// Limits the calling process.
  [[nodiscard]] bool enter() const {
    std::ofstream processes{group_ / "cgroup.procs", std::ios::in};
    return static_cast<bool>(processes << ::getpid() << std::flush);
  }

 private:
  std::filesystem::path group_;
};

class refused_threads : public testing::Test {
 protected:
  refused_threads() {
    std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
    add("large", 30'000);
    for (int i = 0; i < 40; ++i) add("small " + std::to_string(i), 20);
    add("last", 3'000);
  }

  void add(const std::string& name, std::size_t lines) {
    const file_pair file{directory_ / name, directory_ / (name + " out")};
    test::fill(file.in, test::numbered_lines(lines));
    files_.push_back(file);
  }

  /// Returns the number of threads that took part.
  std::size_t transform() const {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    const auto function = [&](std::string_view line, line_sink& out) {
      const std::lock_guard lock{mutex};
      threads.insert(std::this_thread::get_id());
      test::some_lines(line, out);
    };
    each_line(std::span{files_}, function, {.threads = wanted, .block = 10'000});
    return threads.size();
  }

  void expect_outputs() const {
    for (const file_pair& each : files_) {
      EXPECT_EQ(test::content_of(each.out), test::some_lines_of(test::content_of(each.in))) << each.in;
      std::filesystem::remove(each.out);
    }
  }

  test::temporary_directory directory_;
  std::vector<file_pair> files_;
};

// Limits the calling process, and the other ones of its user, who must not be root.
bool limit_user(rlim_t most) {
  const rlimit limit{most, most};
  return ::setrlimit(RLIMIT_NPROC, &limit) == 0 && (::geteuid() != 0 || ::setuid(65'534) == 0);
}

TEST_F(refused_threads, to_an_ordinary_user_are_done_without) {
  const bool is_limited = test::true_in_child([] {
    if (!limit_user(0)) return false;
    try {
      std::thread{[] {}}.join();
      return false;
    } catch (const std::system_error&) {
      return true;
    }
  });
  if (!is_limited) GTEST_SKIP() << "the number of threads cannot be limited here";
  for (const rlim_t most : {0U, 1U, 2U, 3U, 4U, 5U}) {
    EXPECT_TRUE(test::true_in_child([&] { return limit_user(most) && transform() >= 1; })) << most;
    expect_outputs();
  }
}

TEST_F(refused_threads, to_a_control_group_are_done_without) {
  for (const unsigned most : {1U, 2U, 3U, wanted}) {
    const thread_limit limit{most};
    if (!limit.is_possible()) GTEST_SKIP() << "no control group can limit the number of threads here";
    EXPECT_TRUE(test::true_in_child([&] { return limit.enter() && transform() <= most; })) << most;
    expect_outputs();
  }
}

TEST_F(refused_threads, to_many_runs_at_a_time_are_done_without) {
  const thread_limit limit{6};
  if (!limit.is_possible()) GTEST_SKIP() << "no control group can limit the number of threads here";
  const auto run_some = [&] {
    std::vector<std::thread> runs;
    std::latch all_there{3};  // the helpers of one take no thread from another
    for (int i = 0; i < 3; ++i)
      runs.emplace_back([&, i] {
        all_there.arrive_and_wait();
        each_line(files_.front().in, directory_ / ("run " + std::to_string(i)), test::some_lines,
                  {.threads = wanted, .block = 10'000});
      });
    for (std::thread& each : runs) each.join();
    return true;
  };
  EXPECT_TRUE(test::true_in_child([&] { return limit.enter() && run_some(); }));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(test::content_of(directory_ / ("run " + std::to_string(i))),
              test::some_lines_of(test::content_of(files_.front().in)));
}

}  // namespace
}  // namespace freshet
