// What an option is worth: the plans that differ in it alone, against each other.
#include "tool/analysis/option_effects.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using testing::IsEmpty;

const std::vector<double> usual{1.00, 1.01, 0.99, 1.02, 0.98, 1.005, 0.995, 1.015};

std::vector<double> times(double factor) {
  std::vector<double> seconds = usual;
  for (double& one : seconds) one *= factor;
  return seconds;
}

TEST(option_effects, are_those_of_plans_that_differ_in_nothing_else) {
  const std::vector<candidate> candidates{
      entry(trial_plan{.method = "buffered", .reserve = true}, times(0.5)),
      entry(trial_plan{.method = "buffered"}, usual), entry(trial_plan{.method = "direct", .reserve = true}, times(2)),
      entry(trial_plan{.method = "direct"}, usual), entry(trial_plan{.method = "uring"}, times(9))};
  const std::vector<option_effect> effects = find_option_effects(candidates);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].option, "reserve");
  EXPECT_EQ(effects[0].base, "off") << "although a plan with it comes first";
  EXPECT_EQ(effects[0].value, "on");
  EXPECT_NEAR(effects[0].ratio, 1, 1e-9);
  ASSERT_EQ(effects[0].cells.size(), 2U);
  EXPECT_EQ(effects[0].cells[0].plan, "buffered");
  EXPECT_NEAR(effects[0].cells[0].against.ratio.value, 0.5, 1e-9);
  EXPECT_EQ(effects[0].cells[0].against.result, outcome::better);
  EXPECT_EQ(effects[0].cells[1].against.result, outcome::worse);
}

TEST(option_effects, are_told_of_each_other_value) {
  const std::vector<candidate> candidates{entry(trial_plan{.method = "auto", .caching = caching::drop}, times(2)),
                                          entry(trial_plan{.method = "auto"}, usual),
                                          entry(trial_plan{.method = "auto", .caching = caching::bypass}, times(3))};
  const std::vector<option_effect> effects = find_option_effects(candidates);
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].base, "automatic");
  EXPECT_EQ(effects[0].value, "drop");
  EXPECT_NEAR(effects[0].ratio, 2, 1e-9);
  EXPECT_EQ(effects[1].value, "bypass");
  EXPECT_NEAR(effects[1].ratio, 3, 1e-9);
}

TEST(option_effects, have_the_extents_and_the_cold_reads_of_both) {
  std::vector<candidate> candidates{entry(trial_plan{.method = "direct"}, usual),
                                    entry(trial_plan{.method = "direct", .reserve = true}, usual)};
  for (trial_result& trial : candidates[0].trials) trial.extents = 3;
  for (trial_result& trial : candidates[1].trials) trial.cold_read = 900;
  const option_cell cell = find_option_effects(candidates).at(0).cells.at(0);
  EXPECT_EQ(cell.extents[0], 3);
  EXPECT_EQ(cell.extents[1], std::nullopt);
  EXPECT_EQ(cell.cold_read[0], std::nullopt);
  EXPECT_EQ(cell.cold_read[1], 900);
}

TEST(option_effects, are_none_where_two_options_differ_or_a_plan_has_no_valid_trial) {
  EXPECT_THAT(find_option_effects(
                  std::vector<candidate>{entry(trial_plan{.method = "uring", .block = 4096}, usual),
                                         entry(trial_plan{.method = "uring", .block = 8192, .depth = 4}, usual)}),
              IsEmpty());
  std::vector<candidate> invalid{entry(trial_plan{.method = "uring"}, usual),
                                 entry(trial_plan{.method = "uring", .reserve = true}, usual)};
  for (trial_result& trial : invalid[1].trials) trial.validity = trial_validity::invalid;
  EXPECT_THAT(find_option_effects(invalid), IsEmpty());
}

}  // namespace
}  // namespace freshet::tool
