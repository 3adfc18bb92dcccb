#include "src/os/fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/support/child.hpp"

namespace freshet::detail::os {
namespace {

using test::true_in_child;

constinit process_mutex guard;

// Counts its calls, and what fork_count() was at the last one.
class counting_listener final : public fork_listener {
 public:
  void before_fork() noexcept override {
    ++before;
    count_before = fork_count();
  }
  void after_fork_in_child() noexcept override {
    ++in_child;
    const std::lock_guard lock{guard};
  }

  int before = 0;
  int in_child = 0;
  unsigned count_before = 0;

 private:
  fork_subscription subscription_{*this};
};

TEST(os_fork, generation_rises_in_the_child_alone) {
  const unsigned before = fork_generation();
  EXPECT_TRUE(true_in_child([=] { return fork_generation() == before + 1; }));
  EXPECT_EQ(fork_generation(), before);
}

TEST(os_fork, count_rises_in_both_processes) {
  const unsigned before = fork_count();
  EXPECT_TRUE(true_in_child([=] { return fork_count() > before; }));
  const unsigned after = fork_count();
  EXPECT_GT(after, before);
  EXPECT_TRUE(true_in_child([=] { return fork_count() > after; }));
  EXPECT_GT(fork_count(), after);
}

TEST(os_fork, a_listener_is_called_before_and_in_the_child) {
  counting_listener listener;
  const unsigned count = fork_count();
  EXPECT_TRUE(true_in_child([&] { return listener.before == 1 && listener.in_child == 1; }));
  EXPECT_EQ(listener.before, 1);
  EXPECT_EQ(listener.in_child, 0);
  EXPECT_GT(listener.count_before, count);
  EXPECT_GT(fork_count(), listener.count_before);
}

TEST(os_fork, listeners_end_in_any_order) {
  std::optional<counting_listener> first{std::in_place}, second{std::in_place}, third{std::in_place};
  second.reset();
  EXPECT_TRUE(true_in_child([&] {
    const bool both = first->in_child == 1 && third->in_child == 1;
    first.reset();
    third.reset();
    return both;
  }));
  third.reset();
  EXPECT_TRUE(true_in_child([&] { return first->before == 2 && first->in_child == 1; }));
  first.reset();
  EXPECT_TRUE(true_in_child([] { return counting_listener{}.before == 0; }));
}

// The thread holds the mutex while the other one begins to fork, and changes what it guards in two steps.
TEST(os_fork, waits_for_the_holder_of_a_process_mutex) {
  std::atomic<int> steps = 0;
  std::latch is_locked{1};
  std::thread holder{[&] {
    const std::lock_guard lock{guard};
    ++steps;
    const unsigned count = fork_count();  // before the fork can begin
    is_locked.count_down();
    while (fork_count() == count) std::this_thread::yield();
    ++steps;
  }};
  is_locked.wait();
  EXPECT_TRUE(true_in_child([&] {
    const std::lock_guard lock{guard};
    return steps == 2;
  }));
  holder.join();
}

}  // namespace
}  // namespace freshet::detail::os
