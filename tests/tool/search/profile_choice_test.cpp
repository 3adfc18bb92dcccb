#include "tool/search/profile_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/search/class_results.hpp"

namespace freshet::tool {
namespace {

using test::mebibyte;

candidate entry(const std::string& method, const std::vector<double>& seconds) {
  return test::entry(trial_plan{.method = method, .block = 4 * mebibyte, .depth = 1}, seconds);
}

const std::vector<double> usual(8, 1.0);
const std::vector<double> fast(8, 0.5);
const std::vector<double> fast_twice(2, 0.2);
const std::vector<double> slow(8, 2.0);

TEST(choose_for_profile, takes_a_way_that_is_faster_than_what_programs_get) {
  const class_result result = answered({entry("adaptive", usual), entry("uring", fast)});
  const profile_choice choice = choose_for_profile(result);
  ASSERT_NE(choice.way, nullptr);
  EXPECT_EQ(choice.way->plan.method, "uring");
  EXPECT_EQ(choice.unknown, "");
}

TEST(choose_for_profile, takes_nothing_where_programs_need_not_change) {
  EXPECT_EQ(choose_for_profile(answered({entry("adaptive", usual), entry("uring", usual)})).way, nullptr);
  EXPECT_EQ(choose_for_profile(answered({entry("adaptive", fast), entry("uring", usual)})).way, nullptr);
  EXPECT_EQ(choose_for_profile(answered({})).way, nullptr);
}

TEST(choose_for_profile, takes_nothing_by_which_small_files_would_lose) {
  class_result result = answered({entry("adaptive", usual), entry("uring", fast)});
  const class_result small = answered({entry("adaptive", fast), entry("uring", usual)});
  result.smaller.push_back({64 * mebibyte, small.verdict, small.candidates});
  EXPECT_EQ(choose_for_profile(result).way, nullptr);
}

TEST(choose_for_profile, takes_better_blocks_where_they_were_tried) {
  class_result result = answered({entry("adaptive", usual), entry("uring", fast)});
  candidate larger = entry("uring", std::vector<double>(8, 0.4));
  larger.plan.block = 16 * mebibyte;
  const class_result others = answered({entry("uring", fast), larger});
  result.refined = static_cast<const answered_question&>(others);
  ASSERT_NE(choose_for_profile(result).way, nullptr);
  EXPECT_EQ(choose_for_profile(result).way->plan.block, 16 * mebibyte);
}

TEST(change_profile, promises_what_was_predicted_of_each_class) {
  tuning result;
  for (const io_class each : {io_class::none, io_class::at_close, io_class::each_write}) {
    result.classes.push_back(answered({entry("adaptive", slow), entry("uring", fast)}, each));
    class_result& last = result.classes.back();
    last.next_file = {.plan = last.verdict.ranking.front().plan, .rates = {500.4 + static_cast<int>(each), 900}};
  }
  result.classes.back().next_file.reset();
  const profile_change change = change_profile(result);
  EXPECT_EQ(change.saved, (std::vector{io_class::none, io_class::at_close, io_class::each_write}));
  EXPECT_EQ(change.entry.winners[0]->slowest_expected, 500);
  EXPECT_EQ(change.entry.winners[1]->slowest_expected, 501);
  EXPECT_EQ(change.entry.winners[2]->slowest_expected, 0) << "nothing was predicted";
}

TEST(change_profile, says_what_a_longer_run_would_settle) {
  tuning result;
  result.classes.push_back(answered({entry("adaptive", {4, 4}), entry("uring", fast_twice)}));
  const profile_change change = change_profile(result);
  EXPECT_EQ(change.entry.winners[0]->method, "uring");
  EXPECT_EQ(change.entry.winners[0]->block, 4 * mebibyte);
  EXPECT_EQ(change.entry.winners[0]->depth, 1U);
  EXPECT_EQ(change.entry.winners[0]->provisional, "only 2 rounds");
  EXPECT_FALSE(change.entry.winners[1]);
  EXPECT_EQ(change.entry.size, 1'000'000'000U);
}

TEST(change_profile, keeps_what_was_measured_of_each_way) {
  tuning result;
  result.classes.push_back(answered({entry("adaptive", usual), entry("uring", fast), entry("buffered", slow)}));
  const write_settings saved = *change_profile(result).entry.winners[0];
  EXPECT_DOUBLE_EQ(saved.measured.past.seconds_per_byte, 0.5e-9);
  EXPECT_EQ(saved.measured.block, 4 * mebibyte);
  EXPECT_DOUBLE_EQ(saved.measured.kept.seconds_per_byte, 2e-9);
  EXPECT_FALSE(saved.fixed);
  file_system_profile old;
  old.winners[0] = write_settings{.method = "direct", .fixed = true};
  EXPECT_TRUE(change_profile(result, old).entry.winners[0]->fixed) << "the user insists on one way";
}

TEST(change_profile, renews_the_figures_of_a_way_that_stays) {
  file_system_profile old;
  old.winners[0] = write_settings{.method = "direct", .block = mebibyte, .provisional = "only 2 rounds"};
  tuning result;
  result.classes.push_back(answered({entry("adaptive", usual), entry("uring", usual)}));
  const profile_change change = change_profile(result, old);
  EXPECT_EQ(change.renewed, std::vector{io_class::none});
  EXPECT_TRUE(change.saved.empty());
  EXPECT_TRUE(change.changes_anything());
  EXPECT_EQ(change.entry.winners[0]->method, "direct");
  EXPECT_EQ(change.entry.winners[0]->provisional, "only 2 rounds");
  EXPECT_DOUBLE_EQ(change.entry.winners[0]->measured.past.seconds_per_byte, 1e-9);
  result.classes = {answered({entry("adaptive", {1, 1.1}), entry("uring", {1.1, 1})})};
  EXPECT_FALSE(change_profile(result, old).changes_anything()) << "that is not sure";
}

candidate with_profile(const std::vector<double>& seconds) {
  return test::entry(trial_plan{.method = "adaptive", .block = 4 * mebibyte, .depth = 1, .prior = prior_state::profile},
                     seconds);
}

TEST(change_profile, saves_only_what_programs_gain_by) {
  tuning result;
  result.classes.push_back(answered({entry("adaptive", usual), entry("uring", fast), with_profile(usual)}));
  EXPECT_FALSE(change_profile(result).changes_anything());
  result.classes = {answered({entry("adaptive", usual), entry("uring", fast), with_profile(fast)})};
  EXPECT_EQ(change_profile(result).saved, std::vector{io_class::none});
  result.classes = {answered({entry("adaptive", usual), entry("uring", fast), with_profile({0.5, 0.5, 0.5, 0.5})})};
  EXPECT_EQ(change_profile(result).entry.winners[0]->provisional, "only 4 rounds");
  file_system_profile old;
  old.winners[0] = write_settings{.method = "uring", .block = 4 * mebibyte, .depth = 1};
  result.classes = {answered({entry("adaptive", usual), entry("uring", fast), with_profile(slow)})};
  EXPECT_EQ(change_profile(result, old).removed, std::vector{io_class::none}) << "programs with it are slower";
}

file_system_profile settled_profile() {
  file_system_profile old;
  old.size = 77;
  old.winners[0] = write_settings{"direct", 4 * mebibyte, 1, ""};
  old.winners[1] = write_settings{"aio", mebibyte, 2, ""};
  old.warm = read_settings{"mmap", mebibyte, 1, ""};
  return old;
}

TEST(change_profile, replaces_what_is_settled_only_by_what_is_settled) {
  const file_system_profile old = settled_profile();
  tuning result;
  result.classes.push_back(answered({entry("adaptive", {4, 4}), entry("uring", fast_twice)}));
  const profile_change provisional = change_profile(result, old);
  EXPECT_EQ(provisional.entry.winners[0], old.winners[0]);
  EXPECT_EQ(provisional.kept, std::vector{io_class::none});
  EXPECT_FALSE(provisional.changes_anything());
  EXPECT_EQ(provisional.entry.size, old.size);
  result.classes = {answered({entry("adaptive", usual), entry("uring", fast)})};
  const profile_change settled = change_profile(result, old);
  EXPECT_EQ(settled.entry.winners[0]->method, "uring");
  EXPECT_EQ(settled.entry.winners[1], old.winners[1]);
  EXPECT_EQ(settled.entry.warm, old.warm);
  EXPECT_FALSE(settled.entry.cold);
  file_system_profile provisional_before = old;
  provisional_before.winners[0]->provisional = "only 2 rounds";
  result.classes = {answered({entry("adaptive", {4, 4}), entry("uring", fast_twice)})};
  EXPECT_EQ(change_profile(result, provisional_before).saved, std::vector{io_class::none});
}

TEST(change_profile, removes_an_old_way_that_is_slower_than_what_programs_get) {
  const file_system_profile old = settled_profile();
  tuning result;
  result.classes.push_back(answered({entry("adaptive", usual), entry("direct", slow)}));
  const profile_change change = change_profile(result, old);
  EXPECT_FALSE(change.entry.winners[0]);
  EXPECT_EQ(change.removed, std::vector{io_class::none});
  EXPECT_TRUE(change.changes_anything());
  EXPECT_EQ(change.entry.winners[1], old.winners[1]);
  result.classes = {answered({entry("adaptive", usual), entry("direct", usual)})};
  ASSERT_TRUE(change_profile(result, old).entry.winners[0]) << "it is not slower";
  EXPECT_EQ(change_profile(result, old).entry.winners[0]->method, "direct");
}

}  // namespace
}  // namespace freshet::tool
