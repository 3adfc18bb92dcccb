#include "tool/search/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace freshet::tool {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// A disk that writes `rate` bytes per second, and `lost` of it less once `gigabytes` have been written.
struct disk {
  double rate = 2e9;
  double lost = 0;
  double gigabytes = 5;
  double clock = 0;
  double written = 0;
  std::vector<trial_result> made = {};
  std::set<std::uint64_t> sizes_to_read = {};
  std::mt19937_64 random{1};

  trial_result run(const trial_plan& plan) {
    std::lognormal_distribution<double> noise{0, 0.03};
    const double now = written > gigabytes * 1e9 ? rate * (1 - lost) : rate;
    // What memory has already, is copied faster than the disk is read.
    const double slower = plan.what == io_class::warm ? (plan.method == "buffered" ? 0.3 : 1)
                          : plan.method == "buffered" ? 1.5
                                                      : 1;
    trial_result done;
    done.plan = plan;
    done.bytes = plan.size;
    done.seconds_to_close = done.seconds_to_disk = static_cast<double>(plan.size) / now * slower * noise(random);
    clock += 0.1 + done.seconds_to_disk;
    if (!reads(plan.what) || sizes_to_read.insert(plan.size).second) done.bytes_written = plan.size;
    written += static_cast<double>(done.bytes_written);
    made.push_back(done);
    return done;
  }

  /// Seconds of all trials of `what`.
  [[nodiscard]] double seconds_of(io_class what) const {
    double sum = 0;
    for (const trial_result& one : made)
      if (one.plan.what == what) sum += 0.1 + one.seconds_to_disk;
    return sum;
  }

  [[nodiscard]] trial_source open() {
    return {.run = [this](const trial_plan& plan) { return run(plan); }, .now = [this] { return clock; }};
  }
};

tune_setup two_methods() {
  return {.seeds = {{.method = "buffered", .block = mebibyte}, {.method = "uring", .block = 4 * mebibyte, .depth = 2}},
          .reading_seeds = {{.method = "buffered", .block = mebibyte / 4, .depth = 1},
                            {.method = "uring", .block = 4 * mebibyte, .depth = 2}},
          .past_cache = {"uring"},
          .asynchronous = {"uring"},
          .classes = {all_classes.begin(), all_classes.end()},
          .size = 512 * mebibyte,
          .seconds = 60,
          .bytes = 64 * 1024 * mebibyte};
}

TEST(Tune, HasAWinnerForEachClassWithinItsLimits) {
  disk on;
  const tune_setup setup = two_methods();
  const tuning found = tune(setup, on.open());
  ASSERT_EQ(found.classes.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const verdict& one = found.classes[i].found;
    EXPECT_EQ(one.what, setup.classes[i]);
    ASSERT_FALSE(one.ranking.empty());
    EXPECT_EQ(one.ranking.front().plan.method, one.what == io_class::warm ? "buffered" : "uring");
    EXPECT_TRUE(std::ranges::all_of(one.ranking, [](const ranked_candidate& who) { return who.plan.ordered; }));
  }
  EXPECT_EQ(found.bytes_written, static_cast<std::uint64_t>(on.written));
  EXPECT_LE(found.bytes_written, setup.bytes);
  EXPECT_LE(found.seconds, 61);
  EXPECT_FALSE(found.slowed.noticed());
}

TEST(Tune, ShowsWhatOrderCostsAndNeverPicksDisorder) {
  disk on;
  trial_source faster_without_order = on.open();
  faster_without_order.run = [&](const trial_plan& plan) {
    trial_result made = on.run(plan);
    if (!plan.ordered) made.seconds_to_close = made.seconds_to_disk /= 2;
    return made;
  };
  const tuning found = tune(two_methods(), faster_without_order);
  for (const class_result& made : found.classes) EXPECT_TRUE(made.found.ranking.front().plan.ordered);
  ASSERT_EQ(found.order_costs.size(), 3U);
  EXPECT_TRUE(found.order_costs[0].plan.ordered);
  EXPECT_FALSE(found.order_costs[1].plan.ordered);
  EXPECT_TRUE(found.order_costs[2].plan.size_ahead);
  EXPECT_NEAR(ratio(found.order_costs[1], found.order_costs[0]), 0.5, 0.1);
}

TEST(Tune, GivesReadingAQuarterOfTheTime) {
  disk on;
  const tuning found = tune(two_methods(), on.open());
  const double writing = on.seconds_of(io_class::none) + on.seconds_of(io_class::at_close);
  const double reading = on.seconds_of(io_class::cold) + on.seconds_of(io_class::warm);
  EXPECT_LE(reading, found.seconds / 4);
  EXPECT_LE(on.seconds_of(io_class::warm), 1.2 * on.seconds_of(io_class::cold));
  EXPECT_GE(writing, found.seconds / 3);
}

TEST(Tune, WritesTheFileThatIsReadOnce) {
  disk on;
  static_cast<void>(tune(two_methods(), on.open()));
  EXPECT_EQ(on.sizes_to_read, std::set{256 * mebibyte});
}

TEST(Tune, ReadsSmallerFilesFromASlowDisk) {
  disk on{.rate = 1e8};
  const tuning found = tune(two_methods(), on.open());
  ASSERT_EQ(on.sizes_to_read.size(), 1U);
  EXPECT_LE(*on.sizes_to_read.begin(), 32 * mebibyte);
  EXPECT_GE(*on.sizes_to_read.begin(), 16 * mebibyte);
  EXPECT_FALSE(found.classes[3].found.ranking.empty());
}

TEST(Tune, OnlyReadsWhereNothingElseIsAskedFor) {
  disk on;
  tune_setup setup = two_methods();
  setup.classes = {io_class::warm};
  const tuning found = tune(setup, on.open());
  EXPECT_EQ(found.bytes_written, 256 * mebibyte);
  EXPECT_TRUE(std::ranges::all_of(on.made, [](const trial_result& one) { return one.plan.what == io_class::warm; }));
  EXPECT_EQ(found.warm_up.size(), 1U);
  EXPECT_TRUE(found.order_costs.empty());
  EXPECT_TRUE(found.memory.empty());
  EXPECT_EQ(found.classes.front().found.ranking.front().plan.method, "buffered");
}

TEST(Tune, WritesNoMoreThanItMay) {
  for (const std::uint64_t bytes : {0 * mebibyte, 600 * mebibyte, 5000 * mebibyte}) {
    disk on;
    tune_setup setup = two_methods();
    setup.bytes = bytes;
    EXPECT_LE(tune(setup, on.open()).bytes_written, bytes);
    EXPECT_LE(on.written, static_cast<double>(bytes));
  }
}

TEST(Tune, LeavesOutOfTheLaterClassesWhatCannotWinThem) {
  disk on;
  tune_setup setup = two_methods();
  setup.seeds.push_back({.method = "stuck", .block = mebibyte});
  trial_source slow = on.open();
  slow.run = [&](const trial_plan& plan) {
    trial_result made = on.run(plan);
    if (plan.method == "stuck") made.seconds_to_close = made.seconds_to_disk *= 3;
    return made;
  };
  const tuning found = tune(setup, slow);
  const auto is_stuck = [](const candidate& who) { return who.plan.method == "stuck"; };
  EXPECT_TRUE(std::ranges::any_of(found.classes[0].field, is_stuck));
  for (const std::size_t later : {1U, 2U}) {
    EXPECT_TRUE(std::ranges::none_of(found.classes[later].field, is_stuck));
    EXPECT_FALSE(found.classes[later].found.ranking.empty());
  }
}

TEST(Tune, NoticesADiskThatSlowsDown) {
  disk on{.lost = 0.6, .gigabytes = 20};
  tune_setup setup = two_methods();
  setup.seconds = 90;
  const tuning found = tune(setup, on.open());
  EXPECT_TRUE(found.slowed.noticed());
  EXPECT_GT(found.slowed.share, 0.2);
}

TEST(Slowdown, IsTheShareOfSpeedThatIsLost) {
  std::vector<sustained> trials;
  for (int i = 0; i <= 20; ++i) trials.push_back({{.method = "uring"}, i * 1e9, i < 10 ? 2e9 : 1e9});
  EXPECT_NEAR(slowdown_of(trials).share, 0.5, 1e-9);
  EXPECT_TRUE(slowdown_of(trials).noticed());
}

TEST(Slowdown, DoesNotBlameTheDiskForSlowerPlans) {
  std::vector<sustained> trials;
  for (int i = 0; i <= 20; ++i)
    trials.push_back({{.method = i < 10 ? "uring" : "buffered"}, i * 1e9, i < 10 ? 2e9 : 1e9});
  EXPECT_FALSE(slowdown_of(trials).noticed());
  EXPECT_FALSE(slowdown_of({}).noticed());
}

}  // namespace
}  // namespace freshet::tool
