#include "tool/search/drift.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace freshet::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Rounds of plans whose speeds differ by far, in random order; what a trial takes beyond that comes from `factor`,
/// given its round, its position and how many came before.
template <typename Factor>
std::vector<timed> rounds_of(unsigned rounds, unsigned plans, std::uint64_t seed, Factor factor) {
  std::mt19937_64 random{seed};
  std::lognormal_distribution<double> noise{0, 0.02};
  std::vector<timed> all;
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

TEST(OrderEffects, KnowSlowFirstTrials) {
  const auto trials = rounds_of(6, 5, 1, [](unsigned round, unsigned, double) { return round == 0 ? 1.12 : 1; });
  const order_effects found = find_order_effects(trials);
  EXPECT_NEAR(found.first.slower, 0.12, 0.03);
  EXPECT_LT(found.first.significance, 0.01);
  EXPECT_FALSE(found.drift.noticed());  // the first trials are no drift
  EXPECT_FALSE(found.position.noticed());
  EXPECT_THAT(in_words(found), ElementsAre(HasSubstr("the first trials of each plan were 1")));
}

TEST(OrderEffects, KnowADrift) {
  const auto trials = rounds_of(9, 4, 2, [](unsigned, unsigned, double before) { return 1 + 0.3 * before / 36; });
  const order_effects found = find_order_effects(trials);
  EXPECT_NEAR(found.drift.slower, 0.18, 0.05);
  EXPECT_LT(found.drift.significance, 0.001);
  EXPECT_THAT(in_words(found),
              testing::Contains(HasSubstr("slower from the first third of all to the last (p < 0.001)")));
}

TEST(OrderEffects, KnowADriftToTheFaster) {
  const auto trials = rounds_of(9, 4, 2, [](unsigned, unsigned, double before) { return 1 / (1 + 0.3 * before / 36); });
  EXPECT_THAT(in_words(find_order_effects(trials)), testing::Contains(HasSubstr("% faster from the first third")));
}

TEST(OrderEffects, KnowThePositionInTheRound) {
  const auto trials = rounds_of(8, 6, 3, [](unsigned, unsigned position, double) { return position < 3 ? 1 : 1.1; });
  const order_effects found = find_order_effects(trials);
  EXPECT_NEAR(found.position.slower, 0.1, 0.03);
  EXPECT_LT(found.position.significance, 0.001);
  EXPECT_FALSE(found.first.noticed());
  EXPECT_FALSE(found.drift.noticed());
  EXPECT_THAT(in_words(found), ElementsAre(HasSubstr("trials late in a round were")));
}

TEST(OrderEffects, AreNotFoundInNoise) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    // Noise of 8 %, so that a chance effect is large enough to be said.
    std::mt19937_64 random{seed + 1000};
    std::lognormal_distribution<double> noise{0, 0.08};
    const auto trials = rounds_of(5, 4, seed, [&](unsigned, unsigned, double) { return noise(random); });
    alarms += in_words(find_order_effects(trials)).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 24);  // 8 %, where 5 % are due at most
}

TEST(OrderEffects, AreNotSaidWhereTheyAreCertainButSmall) {
  const auto trials = rounds_of(50, 4, 4, [](unsigned, unsigned, double before) { return 1 + 0.02 * before / 200; });
  EXPECT_THAT(in_words(find_order_effects(trials)), IsEmpty());
}

TEST(OrderEffects, AreUnknownOfSingleTrialsAndOfFew) {
  EXPECT_THAT(in_words(find_order_effects({})), IsEmpty());
  EXPECT_THAT(in_words(find_order_effects(std::vector<timed>{{0, 0, 1.0}, {1, 1, 7.0}})), IsEmpty());
  EXPECT_THAT(in_words(find_order_effects(std::vector<timed>{{0, 0, 1.0}, {0, 0, 2.0}, {0, 0, 3.0}})), IsEmpty());
}

TEST(OrderEffects, OfAHundredThousandTrialsAreFoundFast) {
  const auto trials =
      rounds_of(20'000, 5, 5, [](unsigned, unsigned, double before) { return 1 + 0.3 * before / 100'000; });
  EXPECT_TRUE(find_order_effects(trials).drift.noticed());
}

}  // namespace
}  // namespace freshet::tool
