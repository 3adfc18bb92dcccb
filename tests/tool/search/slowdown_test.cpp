// Whether the disk became slower, judging by trials of equal plans.
#include <gtest/gtest.h>

#include <vector>

#include "tool/search/tuning.hpp"

namespace freshet::tool {
namespace {

TEST(slowdown, is_the_share_of_speed_that_is_lost) {
  std::vector<sustained_rate> trials;
  for (int i = 0; i <= 20; ++i) trials.push_back({{.method = "uring"}, i * 1e9, i < 10 ? 2e9 : 1e9});
  EXPECT_NEAR(measure_slowdown(trials).share, 0.5, 1e-9);
  EXPECT_TRUE(measure_slowdown(trials).noticed());
}

TEST(slowdown, does_not_blame_the_disk_for_slower_plans) {
  std::vector<sustained_rate> trials;
  for (int i = 0; i <= 20; ++i)
    trials.push_back({{.method = i < 10 ? "uring" : "buffered"}, i * 1e9, i < 10 ? 2e9 : 1e9});
  EXPECT_FALSE(measure_slowdown(trials).noticed());
  EXPECT_FALSE(measure_slowdown({}).noticed());
}

}  // namespace
}  // namespace freshet::tool
