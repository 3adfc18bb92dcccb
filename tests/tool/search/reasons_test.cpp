#include "tool/search/reasons.hpp"

#include <gtest/gtest.h>

namespace freshet::tool {
namespace {

TEST(left_out, combines_reasons_that_differ_only_in_figures) {
  const auto kinds =
      group_reasons({{"the hypervisor gave 0.10 s to others", 1}, {"the hypervisor gave 0.28 s to others", 2}});
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].trials, 3U);
  EXPECT_EQ(kinds[0].reason, "the hypervisor gave 0.10 s to others");
  EXPECT_TRUE(kinds[0].is_example);
}

TEST(left_out, leaves_out_details_that_differ) {
  const auto kinds = group_reasons({{"others wrote to vda: cp 12 MiB", 1}, {"others wrote to vda: dd 7 MiB", 1}});
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].reason, "others wrote to vda");
  EXPECT_FALSE(kinds[0].is_example);
}

TEST(left_out, keeps_other_reasons_separate_and_complete) {
  const auto kinds = group_reasons({{"not cold: 3 bytes", 4}, {"the content differs", 1}});
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].reason, "not cold: 3 bytes");
  EXPECT_EQ(kinds[0].trials, 4U);
  EXPECT_EQ(kinds[1].reason, "the content differs");
}

TEST(left_out, has_a_reason_for_every_trial) {
  trial_result trial;
  EXPECT_EQ(first_reason(trial), "nothing was measured");
  trial.reasons = {"first", "second"};
  EXPECT_EQ(first_reason(trial), "first");
}

}  // namespace
}  // namespace freshet::tool
