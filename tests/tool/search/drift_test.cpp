#include "tool/search/drift.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace freshet::tool {
namespace {

using testing::IsEmpty;

/// Rounds of plans whose speeds differ widely, in random order. `factor` multiplies the seconds of a trial, given its
/// round, its position and the number of trials before it.
template <typename Factor>
std::vector<timed_trial> rounds_of(unsigned rounds, unsigned plans, std::uint64_t seed, Factor factor) {
  std::mt19937_64 random{seed};
  std::lognormal_distribution<double> noise{0, 0.02};
  std::vector<timed_trial> all;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<std::size_t> order(plans);
    for (std::size_t i = 0; i < plans; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (unsigned position = 0; position < plans; ++position) {
      const double base = std::pow(2, order[position]);
      all.push_back(
          {order[position], position, base * noise(random) * factor(round, position, static_cast<double>(all.size()))});
    }
  }
  return all;
}

TEST(order_effects, include_slow_first_trials) {
  const auto trials = rounds_of(6, 5, 1, [](unsigned round, unsigned, double) { return round == 0 ? 1.12 : 1; });
  const order_effects effects = find_order_effects(trials);
  EXPECT_NEAR(effects.first.slower, 0.12, 0.03);
  EXPECT_LT(effects.first.significance, 0.01);
  EXPECT_FALSE(effects.drift.noticed());  // slow first trials are not drift
  EXPECT_FALSE(effects.position.noticed());
  EXPECT_EQ(describe(effects).size(), 1U);
}

TEST(order_effects, include_a_drift) {
  const auto trials = rounds_of(9, 4, 2, [](unsigned, unsigned, double before) { return 1 + 0.3 * before / 36; });
  const order_effects effects = find_order_effects(trials);
  EXPECT_NEAR(effects.drift.slower, 0.18, 0.05);
  EXPECT_LT(effects.drift.significance, 0.001);
  EXPECT_FALSE(describe(effects).empty());
}

TEST(order_effects, include_a_drift_towards_faster_trials) {
  const auto trials = rounds_of(9, 4, 2, [](unsigned, unsigned, double before) { return 1 / (1 + 0.3 * before / 36); });
  const order_effects effects = find_order_effects(trials);
  EXPECT_TRUE(effects.drift.noticed());
  EXPECT_NEAR(effects.drift.slower, -0.15, 0.05);
}

TEST(order_effects, include_the_position_in_the_round) {
  const auto trials = rounds_of(8, 6, 3, [](unsigned, unsigned position, double) { return position < 3 ? 1 : 1.1; });
  const order_effects effects = find_order_effects(trials);
  EXPECT_NEAR(effects.position.slower, 0.1, 0.03);
  EXPECT_LT(effects.position.significance, 0.001);
  EXPECT_FALSE(effects.first.noticed());
  EXPECT_FALSE(effects.drift.noticed());
  EXPECT_EQ(describe(effects).size(), 1U);
}

TEST(order_effects, are_not_found_in_noise) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    // Noise of 8 %, so that a chance effect is large enough to be reported.
    std::mt19937_64 random{seed + 1000};
    std::lognormal_distribution<double> noise{0, 0.08};
    const auto trials = rounds_of(5, 4, seed, [&](unsigned, unsigned, double) { return noise(random); });
    alarms += describe(find_order_effects(trials)).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 24);  // 8 %; 5 % are expected at most
}

TEST(order_effects, are_not_reported_if_significant_but_small) {
  const auto trials = rounds_of(50, 4, 4, [](unsigned, unsigned, double before) { return 1 + 0.02 * before / 200; });
  EXPECT_THAT(describe(find_order_effects(trials)), IsEmpty());
}

TEST(order_effects, are_unknown_for_single_or_few_trials) {
  EXPECT_THAT(describe(find_order_effects({})), IsEmpty());
  EXPECT_THAT(describe(find_order_effects(std::vector<timed_trial>{{0, 0, 1.0}, {1, 1, 7.0}})), IsEmpty());
  EXPECT_THAT(describe(find_order_effects(std::vector<timed_trial>{{0, 0, 1.0}, {0, 0, 2.0}, {0, 0, 3.0}})), IsEmpty());
}

TEST(order_effects, of_a_hundred_thousand_trials_are_found_fast) {
  const auto trials =
      rounds_of(20'000, 5, 5, [](unsigned, unsigned, double before) { return 1 + 0.3 * before / 100'000; });
  EXPECT_TRUE(find_order_effects(trials).drift.noticed());
}

}  // namespace
}  // namespace freshet::tool
