// How long threads waited for a processor.
#include "tool/measure/run_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

TEST(read_run_delays, takes_the_second_figure_of_each_thread) {
  const test::temporary_directory task;
  for (const auto& [thread, text] : {std::pair{"12", "500 70 3\n"}, {"13", "1 2000000000 9\n"}, {"14", "damaged"}}) {
    fs::create_directory(task / thread);
    std::ofstream{task / thread / "schedstat"} << text;
  }
  fs::create_directory(task / "15");  // its thread has ended
  EXPECT_THAT(read_run_delays(task.path()),
              testing::ElementsAre(testing::Pair(12, 70), testing::Pair(13, 2'000'000'000)));
  EXPECT_TRUE(read_run_delays(task / "missing").empty());
}

TEST(run_queue_meter, knows_what_threads_waited_that_have_ended) {
  if (read_run_delays().empty()) GTEST_SKIP() << "the kernel does not count how long threads wait";
  run_queue_meter queue;
  const double before = queue.waited()->longest;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      const run_queue_meter::of_this_thread watched{queue};
      for (volatile unsigned spin = 0; spin < 100'000'000;) spin = spin + 1;
    });
  threads.clear();
  const run_queue_wait waited = queue.waited().value();
  EXPECT_GT(waited.longest, before) << "four threads share a processor";
  EXPECT_GT(waited.all, 1.5 * waited.longest);
}

TEST(run_queue_wait, is_that_of_others_only_as_far_as_they_had_the_processors) {
  EXPECT_DOUBLE_EQ((run_queue_wait{.longest = 0.3, .all = 0.3}.caused_by(2, 2)), 0.3);
  EXPECT_DOUBLE_EQ((run_queue_wait{.longest = 0.3, .all = 0.3}.caused_by(0.02, 2)), 0.02);
  EXPECT_DOUBLE_EQ((run_queue_wait{.longest = 0.3, .all = 2.4}.caused_by(0.2, 2)), 0.1) << "eight wait for two";
  EXPECT_DOUBLE_EQ((run_queue_wait{.longest = 0.3, .all = 2.4}.caused_by(0, 2)), 0) << "for one another";
  EXPECT_DOUBLE_EQ((run_queue_wait{}.caused_by(1, 2)), 0);
}

TEST(run_queue_meter, has_nothing_of_a_process_that_is_not_there) { EXPECT_FALSE(run_queue_meter{1 << 30}.waited()); }

}  // namespace
}  // namespace freshet::tool
