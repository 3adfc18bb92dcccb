#include "tool/search/prediction.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using test::make_trial;

std::vector<program_files> run_programs(const std::vector<double>& seconds, double later = 1) {
  const trial_plan plan{.method = "uring"};
  std::vector<program_files> programs;
  for (const double one : seconds)
    programs.push_back({make_trial(plan, one, 0, {.cpu = 0.1}), make_trial(plan, one * later, 0, {.cpu = 0.1})});
  return programs;
}

TEST(predict_next_file, needs_three_programs) {
  EXPECT_FALSE(predict_next_file({}, entry("uring", {1, 1, 1})));
  EXPECT_FALSE(predict_next_file(run_programs({1, 1}), entry("uring", {1, 1, 1})));
  EXPECT_TRUE(predict_next_file(run_programs({1, 1, 1}), entry("uring", {})));
}

TEST(predict_next_file, varies_the_first_files_as_the_trials_did) {
  // Programs take twice as long as trials, which vary more.
  const auto next = predict_next_file(run_programs({2, 2, 2}, 0.5), entry("uring", {1, 1.25, 0.8, 1, 1}));
  ASSERT_TRUE(next);
  EXPECT_NEAR(next->rate, 500, 1e-6);
  EXPECT_NEAR(next->rates.low, 400 * (1 - change_from_minute_to_minute), 1e-6);
  EXPECT_NEAR(next->rates.high, 625 * (1 + change_from_minute_to_minute), 1e-6);
  EXPECT_NEAR(next->coverage, 7.0 / 9, 1e-9);
  EXPECT_DOUBLE_EQ(next->later, 0.5);
}

TEST(predict_next_file, covers_what_it_says) {
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> seconds{0, 0.3};
  int inside = 0;
  double promised = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    const auto draw = [&](std::size_t count) {
      std::vector<double> values(count);
      for (double& value : values) value = seconds(random);
      return values;
    };
    const auto next = predict_next_file(run_programs(draw(9)), entry("uring", draw(9)));
    ASSERT_TRUE(next);
    const double rate = 1e3 / seconds(random);
    inside += rate >= next->rates.low && rate <= next->rates.high ? 1 : 0;
    promised += next->coverage / runs;
  }
  // The medians that deviations are taken from are estimates themselves, which costs a little.
  EXPECT_GE(inside, (promised - 0.06) * runs);
  EXPECT_GE(inside, 0.8 * runs);
}

TEST(expect_next_rate, reaches_beyond_the_trials_of_that_size) {
  candidate way = entry("uring", {1, 0.5, 2});
  const std::uint64_t size = way.trials.front().plan.size;
  const interval rates = expect_next_rate(way, size);
  EXPECT_NEAR(rates.low, 500 * (1 - change_from_minute_to_minute), 1e-6);
  EXPECT_NEAR(rates.high, 2000 * (1 + change_from_minute_to_minute), 1e-6);
  way.trials[2].plan.size = size / 2;
  EXPECT_NEAR(expect_next_rate(way, size).low, 1000 * (1 - change_from_minute_to_minute), 1e-6);
  way.trials[1].validity = trial_validity::invalid;
  EXPECT_NEAR(expect_next_rate(way, size).high, 1000 * (1 + change_from_minute_to_minute), 1e-6);
  EXPECT_EQ(expect_next_rate(way, 2 * size).high, 0);
}

}  // namespace
}  // namespace freshet::tool
