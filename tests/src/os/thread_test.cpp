#include "src/os/thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <set>

namespace freshet::detail::os {
namespace {

std::set<int> blocked_here() {
  ::sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  std::set<int> numbers;
  for (const int each : {SIGALRM, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF, SIGRTMIN, SIGSEGV, SIGBUS, SIGFPE})
    if (::sigismember(&blocked, each) == 1) numbers.insert(each);
  return numbers;
}

TEST(os_thread, takes_only_the_signals_of_its_own_faults) {
  const auto before = blocked_here();
  std::set<int> inside;
  start_thread([&] { inside = blocked_here(); }).join();
  EXPECT_EQ(inside, (std::set<int>{SIGALRM, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF, SIGRTMIN}));
  EXPECT_EQ(blocked_here(), before) << "of the thread that started it";
}

// The two take turns on one processor. The child of a fork, so that the other tests keep theirs.
TEST(os_thread, is_interrupted_by_others_that_want_its_processor) {
  const auto compete = [] {
    ::cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) ::_exit(1);
    std::atomic<bool> is_over = false;
    std::thread other = start_thread([&] {
      while (!is_over) {
      }
    });
    for (const std::uint64_t before = interruptions(); interruptions() == before;) {
    }
    is_over = true;
    other.join();
    ::_exit(0);
  };
  EXPECT_EXIT(compete(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace freshet::detail::os
