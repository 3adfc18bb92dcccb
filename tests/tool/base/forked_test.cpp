// Work in a copy of this process: what comes back, and that nothing else does.
#include "tool/base/forked.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include <freshet/error.hpp>

#include "tool/base/child.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

TEST(run_forked, returns_the_result_and_changes_nothing_here) {
  int here = 1;
  const nlohmann::json result = run_forked([&] {
    here = 2;
    return nlohmann::json{{"process", ::getpid()}, {"text", std::string(1 << 20, 'x')}};
  });
  EXPECT_NE(result.at("process").get<pid_t>(), ::getpid());
  EXPECT_EQ(result.at("text").get<std::string>().size(), 1U << 20) << "more than a pipe holds";
  EXPECT_EQ(here, 1);
}

TEST(run_forked, rethrows_errors_whole) {
  for (const char* const detail : {"", "the disk is full of figures"}) {
    const error thrown{std::make_error_code(std::errc::no_space_on_device), "write", "/a/b", 4096, detail};
    try {
      static_cast<void>(run_forked([&]() -> nlohmann::json { throw thrown; }));
      ADD_FAILURE() << "it returned";
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), thrown.code());
      EXPECT_EQ(caught.operation(), thrown.operation());
      EXPECT_EQ(caught.path(), thrown.path());
      EXPECT_EQ(caught.offset(), thrown.offset());
      EXPECT_STREQ(caught.what(), thrown.what());
    }
  }
}

TEST(run_forked, says_how_a_copy_ended_without_a_result) {
  const auto reason = [](const std::function<nlohmann::json()>& work) -> std::string {
    try {
      static_cast<void>(run_forked(work));
    } catch (const child_failure& failure) {
      return failure.what();
    }
    return "it returned";
  };
  EXPECT_EQ(reason([]() -> nlohmann::json { throw std::runtime_error{"no idea"}; }), "no idea");
  EXPECT_EQ(reason([]() -> nlohmann::json { ::_exit(3); }), "ended with exit code 3");
  EXPECT_EQ(reason([]() -> nlohmann::json {
              ::raise(SIGKILL);
              return {};
            }),
            "was killed by signal 9 (Killed)");
}

// In a process of its own, because a signal stays noted.
TEST(run_forked, passes_a_signal_on) {
  const auto interrupt_work = [] {
    note_interrupts();
    const pid_t parent = ::getpid();
    if (const pid_t sender = ::fork(); sender == 0) {
      ::usleep(50'000);
      ::kill(parent, SIGTERM);
      ::_exit(0);
    }
    try {
      static_cast<void>(run_forked([]() -> nlohmann::json {
        sleep_interruptibly(60);
        return {};
      }));
    } catch (const interrupted& signal) {
      ::_exit(signal.exit_code());
    }
    ::_exit(0);
  };
  EXPECT_EXIT(interrupt_work(), testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(run_forked, leaves_no_copy_behind_when_it_is_killed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t caller = ::fork();
  if (caller == 0) {
    static_cast<void>(run_forked([&]() -> nlohmann::json {
      static_cast<void>(::write(ends[1], "w", 1));
      ::pause();
      return {};
    }));
    ::_exit(0);
  }
  ::close(ends[1]);
  char word = 0;
  ASSERT_EQ(::read(ends[0], &word, 1), 1) << "the copy is at work";
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  pollfd source{.fd = ends[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&source, 1, 10'000), 1);
  EXPECT_EQ(::read(ends[0], &word, 1), 0) << "nobody has the pipe open any more";
  ::close(ends[0]);
}

}  // namespace
}  // namespace freshet::tool
