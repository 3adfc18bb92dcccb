// What a load of constant rate says, and how the highest rate is found.
#include "lab/sustain/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lab/sustain/pace.hpp"

namespace freshet::tool {
namespace {

// A minute of 1 GB/s that was kept up.
load_result good_load() {
  load_result load{.bytes = 60'000'000'000, .seconds = 60, .sync_seconds = 0.5, .longest_wait = 0.08};
  for (unsigned second = 1; second <= 60; ++second)
    load.samples.push_back({.at = 1.0 * second, .bytes = 1'000'000'000ULL * second});
  return load;
}

TEST(sustain_verdicts, tell_what_is_to_spare) {
  const sustain_verdict verdict = judge(1e9, good_load(), 1.4e9);
  EXPECT_EQ(verdict.answer, sustained::yes);
  EXPECT_EQ(verdict.words, "yes, with 1.4 x to spare; the longest stall was 80 ms");
  EXPECT_EQ(judge(1e9, good_load()).words, "yes; the longest stall was 80 ms");
}

TEST(sustain_verdicts, tell_when_it_fell_behind_and_what_it_came_to) {
  load_result load = good_load();
  load.fell_behind = 41;
  load.worst = {.seconds = 4, .elsewhere = 0.1};
  load.longest_wait = 2.5;
  load.bytes = 41'000'000'000 + 19 * 620'000'000ULL;
  const sustain_verdict verdict = judge(1e9, load);
  EXPECT_EQ(verdict.answer, sustained::no);
  EXPECT_EQ(verdict.words, "no: after 41 s 620 MB/s; the longest stall was 2.50 s");
}

TEST(sustain_verdicts, tell_when_it_was_behind_for_a_moment) {
  load_result load = good_load();
  load.fell_behind = 36;
  load.worst = {.seconds = 1.5, .elsewhere = 0.1};
  EXPECT_EQ(judge(1e9, load).answer, sustained::no);
  EXPECT_EQ(judge(1e9, load).words,
            "no: after 36 s it was 1.50 s behind, and caught up at 1.0 GB/s; the longest stall was 80 ms");
}

TEST(sustain_verdicts, do_not_blame_the_disk_for_writers_that_are_late) {
  load_result load = good_load();
  load.worst = {.seconds = 2, .elsewhere = 1.9};
  const sustain_verdict verdict = judge(1e9, load);
  EXPECT_EQ(verdict.answer, sustained::unknown);
  EXPECT_EQ(verdict.words,
            "cannot tell: the writers themselves were late, by 1.90 of 2.00 s: the processors had other work");
}

TEST(sustain_verdicts, do_not_take_the_page_cache_for_the_disk) {
  load_result load = good_load();
  load.sync_seconds = 20;
  EXPECT_EQ(judge(1e9, load).answer, sustained::unknown);
  EXPECT_EQ(judge(1e9, load).words,
            "cannot tell: the page cache took it, and the disk needed 20 s more at the end; a longer --time shows "
            "whether it keeps up");
  load.sync_seconds = 1.1;  // less than 2 % of a minute
  EXPECT_EQ(judge(1e9, load).answer, sustained::yes);
}

TEST(sustain_verdicts, tell_why_a_load_ended_early) {
  load_result load = good_load();
  load.failure = "write '/a': No space left on device";
  EXPECT_EQ(judge(1e9, load).answer, sustained::unknown);
  EXPECT_EQ(judge(1e9, load).words, "cannot tell: after 1 min 0 s: write '/a': No space left on device");
}

TEST(sustain_verdicts, name_the_worst_second) {
  load_result load = good_load();
  for (load_sample& each : load.samples)
    if (each.at > 30) each.bytes -= 300'000'000;
  const auto worst = find_worst_second(load);
  ASSERT_TRUE(worst);
  EXPECT_DOUBLE_EQ(worst->at, 30);
  EXPECT_DOUBLE_EQ(worst->rate, 7e8);
  EXPECT_FALSE(find_worst_second({}));
}

TEST(sustain_search, lowers_the_rate_until_one_holds) {
  std::vector<double> tried;
  const auto holds_below = [&](double limit) {
    return [&, limit](double rate) {
      tried.push_back(rate);
      return rate <= limit;
    };
  };
  EXPECT_DOUBLE_EQ(find_highest_rate(1000, 5, holds_below(900)).value(), 855);
  EXPECT_THAT(tried, testing::ElementsAre(950, 855));
  EXPECT_FALSE(find_highest_rate(1000, 3, holds_below(1)));
  EXPECT_EQ(tried.size(), 5U);
}

TEST(paces, know_what_was_due_and_who_is_late) {
  pace schedule{1000};
  EXPECT_DOUBLE_EQ(schedule.due(500), 0.5);
  schedule.add(0, 0.1, 500);  // in time
  EXPECT_EQ(schedule.behind(), 0);
  schedule.wait_until(0.5);
  schedule.add(0.5, 2, 1000);  // a write of 1.5 s: one second late
  EXPECT_DOUBLE_EQ(schedule.behind(), 1);
  EXPECT_DOUBLE_EQ(schedule.worst().seconds, 1);
  EXPECT_DOUBLE_EQ(schedule.worst().elsewhere, 0);
  schedule.add(2, 2.1, 2500);  // it catches up
  EXPECT_EQ(schedule.behind(), 0);
  schedule.wait_until(2.5);
  schedule.add(5.4, 5.5, 3000);  // woken 2.9 s too late
  EXPECT_DOUBLE_EQ(schedule.worst().seconds, 2.5);
  EXPECT_DOUBLE_EQ(schedule.worst().elsewhere, 2.5) << "nothing but that";
}

TEST(paces, without_a_rate_are_never_late) {
  pace schedule{0};
  EXPECT_EQ(schedule.due(1'000'000), 0);
  schedule.add(0, 10, 1);
  EXPECT_EQ(schedule.behind(), 0);
  EXPECT_EQ(schedule.worst().seconds, 0);
}

}  // namespace
}  // namespace freshet::tool
