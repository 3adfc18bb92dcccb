// What trials say to somebody who asks how to write a file.
#include "tool/search/answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using seconds = std::vector<double>;
using test::entry;
using test::mebibyte;

const seconds fast(8, 0.5);
const seconds usual(8, 1.0);
const seconds slow(8, 2.0);

answered_question answered(std::vector<candidate> candidates) {
  answered_question result{.verdict = rank_candidates(io_class::none, candidates), .candidates = {}};
  result.candidates = std::move(candidates);
  return result;
}

sized_result in_files_of(std::uint64_t size, std::vector<candidate> candidates) {
  sized_result result{size, rank_candidates(io_class::none, candidates), {}};
  result.candidates = std::move(candidates);
  return result;
}

candidate baseline(const seconds& taken) { return test::baseline(entry("ofstream", taken)); }

TEST(find_answer, is_to_change_nothing_where_no_way_is_faster) {
  const answered_question of = answered({entry("adaptive", usual), entry("uring", usual), baseline(slow)});
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::nothing);
  EXPECT_TRUE(answer.is_sure);
  EXPECT_EQ(answer.recommended().plan.method, "adaptive");
  EXPECT_EQ(answer.best->plan.method, "uring");
  ASSERT_TRUE(answer.gain);
  EXPECT_DOUBLE_EQ(answer.gain->ratio.value, 1);
  ASSERT_TRUE(answer.over_baseline);
  EXPECT_DOUBLE_EQ(answer.over_baseline->ratio.value, 0.5);
  EXPECT_TRUE(answer.by_size.empty());
}

TEST(find_answer, is_the_profile_where_a_way_is_faster) {
  const answered_question of = answered({entry("adaptive", usual), entry("uring", fast)});
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::profile);
  EXPECT_TRUE(answer.is_sure);
  EXPECT_EQ(answer.recommended().plan.method, "uring");
  EXPECT_DOUBLE_EQ(answer.gain->ratio.value, 0.5);
  EXPECT_FALSE(answer.over_baseline);
}

TEST(find_answer, is_a_line_of_code_where_small_files_would_lose) {
  answered_question of = answered({entry("adaptive", usual), entry("uring", fast)});
  of.smaller.push_back(in_files_of(64 * mebibyte, {entry("adaptive", fast), entry("uring", usual)}));
  of.smaller.push_back(in_files_of(256 * mebibyte, {entry("adaptive", usual), entry("uring", usual)}));
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::code);
  ASSERT_EQ(answer.by_size.size(), 2U);
  EXPECT_EQ(answer.by_size[0].plan.method, "adaptive");
  EXPECT_EQ(answer.by_size[0].up_to, 256 * mebibyte);
  EXPECT_EQ(answer.by_size[1].plan.method, "uring");
  of.smaller.front() = in_files_of(64 * mebibyte, {entry("adaptive", usual), entry("uring", usual)});
  EXPECT_EQ(find_answer(of).what, advice::profile) << "they are as fast";
}

candidate with_profile(const seconds& taken) {
  return entry(trial_plan{.method = "adaptive", .prior = prior_state::profile}, taken);
}

TEST(find_answer, is_the_profile_only_where_programs_gain_by_it) {
  answered_question of = answered({entry("adaptive", usual), entry("uring", fast), with_profile(fast)});
  of.needs_profile_tried = true;
  const class_answer gains = find_answer(of);
  EXPECT_EQ(gains.what, advice::profile);
  EXPECT_TRUE(gains.is_sure);
  EXPECT_EQ(gains.way().plan.method, "uring");
  EXPECT_EQ(gains.recommended().plan.prior, prior_state::profile);
  EXPECT_EQ(gains.by_themselves->plan.prior, prior_state::none);
  ASSERT_TRUE(gains.profile_gain);
  EXPECT_DOUBLE_EQ(gains.profile_gain->ratio.value, 0.5);

  of = answered({entry("adaptive", usual), entry("uring", fast), with_profile(usual), baseline(slow)});
  const class_answer alike = find_answer(of);
  EXPECT_EQ(alike.what, advice::code);
  EXPECT_TRUE(alike.is_sure);
  EXPECT_EQ(alike.recommended().plan.method, "uring");
  EXPECT_DOUBLE_EQ(alike.over_baseline->ratio.value, 0.25) << "of the way that programs name";
}

TEST(find_answer, is_the_profile_where_only_programs_with_it_are_faster) {
  const answered_question of = answered({entry("adaptive", usual), entry("uring", usual), with_profile(fast)});
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::profile);
  EXPECT_TRUE(answer.is_sure);
}

TEST(find_answer, is_to_change_nothing_where_neither_the_way_nor_the_profile_is_faster) {
  const answered_question of = answered({entry("adaptive", usual), entry("uring", usual), with_profile(slow)});
  EXPECT_EQ(find_answer(of).what, advice::nothing);
  EXPECT_TRUE(find_answer(of).is_sure);
  EXPECT_EQ(find_answer(of).recommended().plan.prior, prior_state::none);
}

TEST(find_answer, is_a_line_of_code_where_no_profile_could_be_tried) {
  answered_question of = answered({entry("adaptive", usual), entry("uring", fast)});
  of.needs_profile_tried = true;
  EXPECT_EQ(find_answer(of).what, advice::code);
  EXPECT_FALSE(find_answer(of).is_sure);
  EXPECT_TRUE(find_answer(of).is_way_sure);
  of = answered({entry("adaptive", usual), entry("uring", fast), with_profile({0.5, 0.5})});
  EXPECT_FALSE(find_answer(of).is_sure) << "after two rounds";
}

TEST(find_answer, lets_the_profile_lose_small_files) {
  answered_question of = answered({entry("adaptive", usual), entry("uring", fast), with_profile(fast)});
  of.smaller.push_back(in_files_of(64 * mebibyte, {entry("adaptive", fast), with_profile(usual)}));
  of.smaller.push_back(in_files_of(256 * mebibyte, {entry("adaptive", usual), with_profile(fast)}));
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::code);
  EXPECT_FALSE(answer.over_baseline);
  of.smaller.front() = in_files_of(64 * mebibyte, {entry("adaptive", usual), with_profile(usual)});
  EXPECT_EQ(find_answer(of).what, advice::profile);
  ASSERT_EQ(find_answer(of).by_size.size(), 2U);
  EXPECT_EQ(find_answer(of).by_size[0].plan.prior, prior_state::none);
  EXPECT_EQ(find_answer(of).by_size[0].up_to, 64 * mebibyte);
  EXPECT_EQ(find_answer(of).by_size[1].plan.prior, prior_state::profile);
}

TEST(find_answer, is_not_sure_where_a_way_left_early_and_looked_faster) {
  candidate early = entry("direct", {0.4});
  early.dropped = "not among the best 3 after 2 rounds";
  const answered_question of = answered({entry("adaptive", usual), entry("uring", fast), early});
  EXPECT_FALSE(find_answer(of).is_sure);
  early.trials.front().seconds_to_close = early.trials.front().seconds_to_disk = 0.8;
  EXPECT_TRUE(find_answer(answered({entry("adaptive", usual), entry("uring", fast), early})).is_sure);
}

TEST(find_answer, is_not_sure_after_few_rounds_or_where_trials_vary) {
  EXPECT_FALSE(find_answer(answered({entry("adaptive", {1, 1, 1}), entry("uring", {0.5, 0.5, 0.5})})).is_sure);
  const seconds varied{0.3, 2, 0.4, 3, 0.3, 2};
  const answered_question of = answered({entry("adaptive", seconds(6, 1.0)), entry("uring", varied)});
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::nothing);
  EXPECT_FALSE(answer.is_sure);
}

TEST(find_answer, knows_nothing_without_a_trial) {
  const answered_question of = answered({entry("adaptive", {}), entry("uring", {})});
  EXPECT_EQ(find_answer(of).what, advice::none);
  EXPECT_EQ(find_answer(of).best, nullptr);
}

TEST(find_answer, takes_what_programs_get_where_nothing_else_was_measured) {
  const answered_question of = answered({entry("adaptive", usual)});
  const class_answer answer = find_answer(of);
  EXPECT_EQ(answer.what, advice::nothing);
  EXPECT_EQ(answer.recommended().plan.method, "adaptive");
}

TEST(find_disturbances, names_the_most_frequent_one) {
  candidate entry = test::entry("uring", seconds(10, 1.0));
  for (const std::size_t i : {0U, 1U, 2U}) {
    entry.trials[i].validity = trial_validity::disturbed;
    entry.trials[i].reasons = {i == 0 ? "the machine was suspended for 3.00 s"
                                      : "others wrote to vda meanwhile, 3 % of the trial's bytes: bash 29.6 MiB"};
  }
  const disturbances found = find_disturbances(std::vector{entry});
  EXPECT_EQ(found.trials, 10U);
  EXPECT_EQ(found.disturbed, 3U);
  EXPECT_EQ(found.counted, 0U) << "seven others are enough";
  EXPECT_NE(found.reason.find("others wrote to vda"), std::string::npos);
  entry.trials.resize(5);
  EXPECT_EQ(find_disturbances(std::vector{entry}).counted, 3U);
}

}  // namespace
}  // namespace freshet::tool
