#include "search/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
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
  std::vector<trial> made = {};
  std::mt19937_64 random{1};

  trial run(const trial_plan& plan) {
    std::lognormal_distribution<double> noise{0, 0.03};
    const double now = written > gigabytes * 1e9 ? rate * (1 - lost) : rate;
    const double slower = plan.method == "buffered" ? 1.5 : 1;
    trial done;
    done.plan = plan;
    done.bytes = plan.size;
    done.seconds_to_close = done.seconds_to_disk = static_cast<double>(plan.size) / now * slower * noise(random);
    clock += 0.1 + done.seconds_to_disk;
    written += static_cast<double>(plan.size);
    made.push_back(done);
    return done;
  }

  [[nodiscard]] course open() {
    return {.run = [this](const trial_plan& plan) { return run(plan); }, .now = [this] { return clock; }};
  }
};

tune_setup two_methods() {
  return {.seeds = {{.method = "buffered", .block = mebibyte}, {.method = "uring", .block = 4 * mebibyte, .depth = 2}},
          .past_cache = {"uring"},
          .asynchronous = {"uring"},
          .durabilities = {durability::none, durability::at_close, durability::each_write},
          .size = 512 * mebibyte,
          .seconds = 60,
          .bytes = 64 * 1024 * mebibyte};
}

TEST(Tune, HasAWinnerForEachClassWithinItsLimits) {
  disk on;
  const tune_setup setup = two_methods();
  const tuning found = tune(setup, on.open());
  ASSERT_EQ(found.classes.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const verdict& one = found.classes[i].found;
    EXPECT_EQ(one.durability, setup.durabilities[i]);
    ASSERT_FALSE(one.ranking.empty());
    EXPECT_EQ(one.ranking.front().plan.method, "uring");
    EXPECT_TRUE(std::ranges::all_of(one.ranking, [](const standing& who) { return who.plan.ordered; }));
  }
  EXPECT_EQ(found.bytes_written, static_cast<std::uint64_t>(on.written));
  EXPECT_LE(found.bytes_written, setup.bytes);
  EXPECT_LE(found.seconds, 61);
  EXPECT_FALSE(found.slowed.noticed());
}

TEST(Tune, ShowsWhatOrderCostsAndNeverPicksDisorder) {
  disk on;
  course faster_without_order = on.open();
  faster_without_order.run = [&](const trial_plan& plan) {
    trial made = on.run(plan);
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
  course slow = on.open();
  slow.run = [&](const trial_plan& plan) {
    trial made = on.run(plan);
    if (plan.method == "stuck") made.seconds_to_close = made.seconds_to_disk *= 3;
    return made;
  };
  const tuning found = tune(setup, slow);
  const auto is_stuck = [](const contestant& who) { return who.plan.method == "stuck"; };
  EXPECT_TRUE(std::ranges::any_of(found.classes[0].field, is_stuck));
  for (const std::size_t later : {1U, 2U}) {
    EXPECT_TRUE(std::ranges::none_of(found.classes[later].field, is_stuck));
    EXPECT_FALSE(found.classes[later].found.ranking.empty());
  }
}

TEST(Tune, NoticesADiskThatSlowsDown) {
  disk on{.lost = 0.6, .gigabytes = 20};
  const tuning found = tune(two_methods(), on.open());
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
