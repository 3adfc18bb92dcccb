#include "src/os/thread.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace freshet::detail::os
