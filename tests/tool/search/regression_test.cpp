#include "tool/search/regression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/search/kept_noise.hpp"

namespace freshet::tool {
namespace {

using test::entry;

regression judge(const std::vector<double>& first, const std::vector<double>& second, double tolerated = 0.05) {
  const std::array both{entry("uring", first), entry("uring", second)};
  return judge_regression(compare(both[0], both[1], {.noise = estimate_noise(both)}), {tolerated, 0.15});
}

// Two programs in turn on a disk with the noise of kept trials, whose first program takes so many times as long.
regression take_turns(double slowdown, std::uint64_t seed, std::size_t most_rounds) {
  std::mt19937_64 random{seed};
  const std::span<const int> noise{noise_of_reading};
  std::size_t at = random() % noise.size();
  const auto seconds = [&] { return std::exp(noise[at++ % noise.size()] / 1000.0); };
  std::vector<double> first;
  std::vector<double> second;
  regression result;
  for (std::size_t round = 1; round <= most_rounds && result.state == regression_state::open; ++round) {
    first.push_back(slowdown * seconds());
    second.push_back(seconds());
    if (is_planned_look(round)) result = judge(first, second);
  }
  return result;
}

int count(regression_state state, double slowdown) {
  constexpr int contests = 500;
  constexpr std::size_t rounds = 60;
  int found = 0;
  for (std::uint64_t seed = 0; seed < contests; ++seed)
    found += take_turns(slowdown, seed, rounds).state == state ? 1 : 0;
  return 100 * found / contests;
}

TEST(judge_regression, finds_a_slowdown_of_20_percent_and_lets_none_of_it_pass) {
  EXPECT_GE(count(regression_state::worse, 1.2), 90);
  EXPECT_LE(count(regression_state::fine, 1.2), 1);
}

TEST(judge_regression, raises_no_false_alarm) {
  EXPECT_LE(count(regression_state::worse, 1), 1);
  EXPECT_GE(count(regression_state::fine, 1), 90);
}

TEST(judge_regression, leaves_few_rounds_open_and_says_how_many_more_it_takes) {
  const regression few = judge({2, 2, 2}, {1, 1, 1});
  EXPECT_EQ(few.state, regression_state::open);
  EXPECT_GE(few.rounds_to_go, 3U);
  EXPECT_EQ(judge({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}).state, regression_state::worse);
}

comparison known_to_be(double low, double value, double high, std::size_t rounds) {
  return {.ratio = {value, {low, high}, rounds, 1}, .paired = true};
}

TEST(judge_regression, needs_enough_rounds_and_a_narrow_range) {
  const auto state = [](const comparison& against, double tolerated) {
    return judge_regression(against, {tolerated, 0.25, 4}).state;
  };
  EXPECT_EQ(state(known_to_be(0.9, 1, 1.1, 3), 0.05), regression_state::open);
  EXPECT_EQ(state(known_to_be(0.9, 1, 1.1, 4), 0.05), regression_state::fine);
  EXPECT_EQ(state(known_to_be(0.9, 1, 1.3, 6), 0.05), regression_state::open);
  EXPECT_EQ(state(known_to_be(0.9, 1, 1.3, 6), 0.5), regression_state::fine);
  EXPECT_EQ(state(known_to_be(1.2, 1.4, 1.8, 6), 0.05), regression_state::worse);
  EXPECT_EQ(state(known_to_be(1.2, 1.4, 1.8, 3), 0.05), regression_state::open);
}

TEST(judge_regression, says_how_many_more_rounds_it_takes) {
  EXPECT_EQ(judge_regression(known_to_be(0.9, 1, 1.1, 3), {0.05, 0.25, 7}).rounds_to_go, 4U);
  // ln(1.5 / 0.7) / 2 is 0.38, and ln 1.25 less the middle, 0.024, is 0.20: (0.38 / 0.20)^2 as many.
  EXPECT_EQ(judge_regression(known_to_be(0.7, 1, 1.5, 6), {0.05, 0.25, 4}).rounds_to_go, 17U);
}

TEST(judge_regression, has_an_end_where_what_is_tolerated_lies_in_the_middle_of_the_range) {
  const regression never = judge_regression(known_to_be(1, 1.25, 1.25 * 1.25, 6), {0.25, 0.25, 4});
  EXPECT_EQ(never.state, regression_state::open);
  EXPECT_LE(never.rounds_to_go, 1'000'000U);
}

TEST(judge_regression, tolerates_what_it_is_told_to) {
  const std::vector<double> slow(42, 1.2);
  const std::vector<double> base(42, 1.0);
  EXPECT_EQ(judge(slow, base).state, regression_state::worse);
  EXPECT_EQ(judge(slow, base, 0.3).state, regression_state::fine);
}

}  // namespace
}  // namespace freshet::tool
