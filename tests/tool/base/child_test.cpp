// Child processes that end with their parent, and the path of the program itself.
#include "tool/base/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/confined.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

child_call call_of(const std::vector<std::string>& words) {
  return {.words = words, .directory = "/", .environment = merge_environment({})};
}

class bound_children : public testing::Test {
 protected:
  bound_children() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    all_ended_ = detail::os::file::wrap(ends[0], true);
    kept_open_ = detail::os::file::wrap(ends[1], true);
  }

  /// Starts a process that starts `script` for the shell as its bound child, and waits for it.
  [[nodiscard]] pid_t start_parent(const std::string& script) const {
    const pid_t parent = ::fork();
    if (parent != 0) return parent;
    child_call call = call_of({"sh", "-c", script});
    call.kept_open = &kept_open_;
    call.ends_with_parent = true;
    child step{call, child::connection::listen};
    static_cast<void>(step.wait_for_exit());
    ::_exit(0);
  }

  static void kill_and_wait(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }

  /// Whether all children end by themselves: each has an end of the pipe open.
  [[nodiscard]] bool end() {
    constexpr int patience = 10'000;  // milliseconds
    kept_open_ = {};
    pollfd source{.fd = all_ended_.descriptor(), .events = POLLIN, .revents = 0};
    return ::poll(&source, 1, patience) == 1;
  }

  bool appears(const std::string& name) const {
    for (int tries = 0; tries < 1000 && !std::filesystem::exists(directory_ / name); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return std::filesystem::exists(directory_ / name);
  }

  test::temporary_directory directory_;
  detail::os::file all_ended_;
  detail::os::file kept_open_;
};

TEST_F(bound_children, may_tidy_up_when_their_parent_is_killed) {
  const std::string script = "trap 'touch tidied; exit' TERM; cd " + directory_.path().string() +
                             "; touch began; while :; do sleep 0.01; done";
  const pid_t parent = start_parent(script);
  ASSERT_TRUE(appears("began"));
  kill_and_wait(parent);
  EXPECT_TRUE(end());
  EXPECT_TRUE(appears("tidied"));
}

TEST_F(bound_children, never_outlive_a_parent_that_is_killed_while_they_start) {
  for (unsigned microseconds = 0; microseconds < 4000; microseconds += 50) {
    const pid_t parent = start_parent("exec sleep 600");
    std::this_thread::sleep_for(std::chrono::microseconds{microseconds});
    kill_and_wait(parent);
  }
  EXPECT_TRUE(end());
}

TEST_F(bound_children, end_as_others_do) {
  for (const bool bound : {false, true}) {
    child_call call = call_of({"sh", "-c", "cat; pwd; exit 3"});
    call.directory = directory_.path();
    call.ends_with_parent = bound;
    child one{call, child::connection::listen};
    EXPECT_EQ(one.wait_for_exit(), 3);
    EXPECT_EQ(one.last_output(), std::filesystem::canonical(directory_.path()).string() + "\n");
  }
}

TEST_F(bound_children, say_why_they_cannot_be_started) {
  for (const bool bound : {false, true}) {
    child_call call = call_of({"/none/no-such-program"});
    call.ends_with_parent = bound;
    try {
      const child none{call, child::connection::listen};
      ADD_FAILURE() << "it was started";
    } catch (const child_failure& failure) {
      EXPECT_STREQ(failure.what(), "cannot start /none/no-such-program: No such file or directory");
    }
  }
}

TEST(own_program, is_known_without_proc) {
  const test::temporary_directory root;
  EXPECT_EQ(own_program().filename(), "tool_base_test");
  const auto answer = test::ask_confined([&] { return test::enter_root(root.path()); },
                                         [] {
                                           const auto found = own_program();
                                           if (found.filename() != "tool_base_test" || !found.is_absolute())
                                             throw std::runtime_error{found.string()};
                                         });
  if (!answer.why_not.empty()) GTEST_SKIP() << answer.why_not;
  EXPECT_EQ(answer.complaint, "");
}

}  // namespace
}  // namespace freshet::tool
