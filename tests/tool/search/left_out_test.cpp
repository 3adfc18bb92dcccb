#include "tool/search/left_out.hpp"

#include <gtest/gtest.h>

namespace freshet::tool {
namespace {

TEST(left_out, puts_together_what_differs_in_figures_only) {
  const auto kinds =
      kinds_of({{"the hypervisor gave 0.10 s to others", 1}, {"the hypervisor gave 0.28 s to others", 2}});
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].trials, 3U);
  EXPECT_EQ(kinds[0].reason, "the hypervisor gave 0.10 s to others");
  EXPECT_TRUE(kinds[0].is_example);
}

TEST(left_out, leaves_out_details_that_differ) {
  const auto kinds = kinds_of({{"others wrote to vda: cp 12 bytes", 1}, {"others wrote to vda: dd 7 bytes", 1}});
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].reason, "others wrote to vda");
  EXPECT_FALSE(kinds[0].is_example);
}

TEST(left_out, keeps_other_reasons_apart_and_whole) {
  const auto kinds = kinds_of({{"not cold: 3 bytes", 4}, {"the content differs", 1}});
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].reason, "not cold: 3 bytes");
  EXPECT_EQ(kinds[0].trials, 4U);
  EXPECT_EQ(kinds[1].reason, "the content differs");
}

TEST(left_out, has_a_reason_for_every_trial) {
  trial_result made;
  EXPECT_EQ(reason_of(made), "nothing was measured");
  made.reasons = {"first", "second"};
  EXPECT_EQ(reason_of(made), "first");
}

}  // namespace
}  // namespace freshet::tool
