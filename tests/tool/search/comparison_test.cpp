#include "tool/search/comparison.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using test::gigabyte;
using test::make_trial;

TEST(compare, uses_the_ratio_within_shared_rounds) {
  const candidate slow = entry("direct", {2, 4, 8, 16, 32, 64});
  const candidate fast = entry("uring", {1, 2, 4, 8, 16, 32});
  const comparison result = compare(slow, fast);
  EXPECT_TRUE(result.paired);
  EXPECT_DOUBLE_EQ(result.ratio.value, 2);
  EXPECT_GT(result.ratio.range.low, 1.05) << "though the times differ by more within each than between both";
  EXPECT_LT(result.ratio.range.high, 4);
  EXPECT_EQ(result.result, outcome::worse);
  EXPECT_EQ(compare(fast, slow).result, outcome::better);
}

TEST(compare, is_a_tie_within_what_matters_only) {
  const comparison_rules quiet{.noise = 0.001};
  const candidate base = entry("direct", {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(compare(entry("uring", {1.02, 1.01, 1.02, 1.02, 1.01, 1.02}), base, quiet).result, outcome::tie);
  EXPECT_EQ(compare(entry("uring", {1.2, 0.8, 1.2, 0.8, 1.2, 0.8}), base, quiet).result, outcome::undecided);
  EXPECT_EQ(compare(entry("uring", {1.08, 1.08, 1.09, 1.08, 1.07, 1.08}), base, quiet).result, outcome::worse);
  EXPECT_EQ(compare(entry("uring", {1.08, 1.08, 1.09, 1.08, 1.07, 1.08}), base, {0.1, 0.001}).result, outcome::tie);
  EXPECT_EQ(compare(entry("uring", {1, 1, 1}), entry("direct", {1, 1, 1}), quiet).result, outcome::undecided)
      << "a tie after fewer rounds than can decide";
}

TEST(compare, needs_two_rounds_for_any_range) {
  const comparison one = compare(entry("uring", {1}), entry("direct", {100}));
  EXPECT_EQ(one.result, outcome::undecided);
  EXPECT_EQ(one.ratio.range.low, 0);
  EXPECT_EQ(compare(entry("uring", {1, 1}), entry("direct", {100, 100})).result, outcome::better);
}

TEST(compare, is_not_misled_by_one_outlier) {
  EXPECT_EQ(compare(entry("uring", {1, 1, 1, 1, 1, 40}), entry("direct", {1, 1, 1, 1, 1, 1})).result,
            outcome::undecided);
}

TEST(compare, has_a_wider_range_where_all_trials_vary) {
  const candidate slow = entry("uring", {1.5, 1.5, 1.5, 1.5, 1.5, 1.5});
  const candidate base = entry("direct", {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(compare(slow, base, {.noise = 0.05}).result, outcome::worse);
  EXPECT_EQ(compare(slow, base, {.noise = 0.5}).result, outcome::undecided);
}

TEST(compare, tells_the_inverse_with_the_sides_exchanged) {
  const candidate first = entry("uring", {1.1, 1.3, 0.9, 1.2, 1, 1.4});
  candidate second = entry("direct", {2.1, 1.8, 2.4, 2, 1.9, 2.2});
  for (const bool is_paired : {true, false}) {
    if (!is_paired)
      for (trial_result& trial : second.trials) trial.round += 100;
    const comparison there = compare(first, second);
    const comparison back = compare(second, first);
    EXPECT_EQ(there.paired, is_paired);
    EXPECT_DOUBLE_EQ(there.ratio.value, 1 / back.ratio.value);
    EXPECT_DOUBLE_EQ(there.ratio.range.low, 1 / back.ratio.range.high);
    EXPECT_DOUBLE_EQ(there.ratio.range.high, 1 / back.ratio.range.low);
  }
}

TEST(compare, compares_what_it_is_told_to) {
  const candidate costly = entry("uring", {1, 1}, {.cpu = 3});
  const candidate cheap = entry("direct", {1, 1}, {.cpu = 1});
  EXPECT_DOUBLE_EQ(compare(costly, cheap).ratio.value, 1);
  EXPECT_DOUBLE_EQ(compare(costly, cheap, {.which = metric::cpu}).ratio.value, 3);
}

TEST(estimate_noise, leaves_out_what_plans_and_rounds_share) {
  // Two plans, one always three times as slow, in rounds that differ by a factor of ten.
  const std::vector<candidate> steady{entry("uring", {1, 10, 1, 10, 1, 10}), entry("direct", {3, 30, 3, 30, 3, 30})};
  const std::vector<candidate> noisy{entry("uring", {1, 2, 1, 2, 1, 2}), entry("direct", {2, 1, 2, 1, 2, 1})};
  EXPECT_LT(estimate_noise(steady), usual_noise);
  EXPECT_GT(estimate_noise(noisy), 0.4);
  EXPECT_DOUBLE_EQ(estimate_noise({}), usual_noise);
}

TEST(compare_cpu_costs, is_a_comparison_of_its_own) {
  const std::vector<double> same{1, 1, 1, 1, 1, 1};
  const cpu_cost_comparison dear =
      compare_cpu_costs(entry("buffered", same, {.cpu = 0.9}), entry("uring", same, {.cpu = 0.3}));
  EXPECT_NEAR(dear.ratio.value, 3, 1e-9);
  EXPECT_TRUE(dear.differs);
  EXPECT_TRUE(dear.sure);
  EXPECT_FALSE(compare_cpu_costs(entry("buffered", {1, 1}, {.cpu = 0.9}), entry("uring", {1, 1}, {.cpu = 0.3})).sure)
      << "two rounds";
  EXPECT_FALSE(compare_cpu_costs(entry("buffered", same, {.cpu = 0.05}), entry("uring", same, {.cpu = 0.04})).differs)
      << "noise";
}

TEST(compare, uses_trials_with_the_largest_files) {
  candidate first = entry("buffered", {1, 1, 1, 1});
  candidate second = entry("direct", {2, 2, 2, 2});
  for (unsigned round = 4; round < 7; ++round) {
    for (candidate* entry : {&first, &second}) {
      trial_result large = make_trial(entry->plan, entry == &first ? 12 : 6, round);
      large.plan.size = large.bytes = 4 * gigabyte;
      entry->trials.push_back(large);
    }
  }
  EXPECT_DOUBLE_EQ(compare(first, second).ratio.value, 2);
  EXPECT_DOUBLE_EQ(seconds_per_gb(first), 3);
}

TEST(find_shared_trials, pairs_no_trial_that_met_slow_memory_with_one_that_did_not) {
  candidate first = entry("buffered", {1, 8, 8, 1});
  candidate second = entry("direct", {2, 2, 2, 2});
  first.trials[1].met_slow_memory = first.trials[2].met_slow_memory = true;
  second.trials[2].met_slow_memory = true;
  const std::vector<trial_pair> shared = find_shared_trials(first, second);
  ASSERT_EQ(shared.size(), 3U) << "in round 1 only one of them met slow memory";
  EXPECT_DOUBLE_EQ(shared[1].first->seconds_per_gb(), 8);
}

TEST(find_shared_trials, leaves_out_those_that_screened) {
  candidate first = entry("buffered", {1, 1, 4, 4});
  candidate second = entry("direct", {2, 2, 4, 4});
  for (candidate* each : {&first, &second}) each->trials[0].screening = each->trials[1].screening = true;
  EXPECT_EQ(find_shared_trials(first, second).size(), 2U);
  EXPECT_DOUBLE_EQ(compare(first, second).ratio.value, 1);
  EXPECT_DOUBLE_EQ(seconds_per_gb(first), 4);
  second.trials.resize(3);  // a single round is not enough to compare
  EXPECT_EQ(find_shared_trials(first, second).size(), 3U);
}

}  // namespace
}  // namespace freshet::tool
