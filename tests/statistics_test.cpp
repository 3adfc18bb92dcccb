#include "search/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace freshet::tool {
namespace {

using figures = std::vector<double>;

TEST(Quantile, InterpolatesBetweenNeighbours) {
  const figures values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);  // as numpy.quantile and R's type 7
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(MedianDeviation, IsNotMovedByAnOutlier) {
  EXPECT_DOUBLE_EQ(median_deviation(figures{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_DOUBLE_EQ(median_deviation(figures{1, 1, 2, 2, 4, 6, 9000}), 1);
}

TEST(EstimateMedian, HasNoWidthForEqualValues) {
  const estimate made = estimate_median(figures{5, 5, 5, 5});
  EXPECT_EQ(made.value, 5);
  EXPECT_EQ(made.range, (interval{5, 5}));
  EXPECT_EQ(made.count, 4U);
}

TEST(EstimateMedian, OfThreeValuesReachesFromTheLeastToTheMost) {
  // The chance that all three draws are the least value is 1/27, more than the 2.5 % outside.
  EXPECT_EQ(estimate_median(figures{3, 1, 2}).range, (interval{1, 3}));
}

TEST(EstimateMedian, IsTheSameForTheSameSeed) {
  const figures values{1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(estimate_median(values, {.seed = 7}).range, estimate_median(values, {.seed = 7}).range);
}

TEST(EstimateMedian, IntervalHoldsTheTrueMedianAboutAsOftenAsItSays) {
  std::mt19937_64 random{1};
  std::lognormal_distribution<double> skewed{0, 0.5};  // its median is 1
  int held = 0;
  for (int experiment = 0; experiment < 400; ++experiment) {
    figures values(15);
    for (double& value : values) value = skewed(random);
    const interval range = estimate_median(values, {.resamples = 400}).range;
    held += range.low <= 1 && 1 <= range.high ? 1 : 0;
  }
  EXPECT_GE(held, 360);  // 90 %
  EXPECT_LE(held, 396);  // an interval that always holds it is too wide to be of use
}

TEST(EstimatePairedRatio, CancelsWhatDrifts) {
  std::vector<pairing> pairs;
  for (const double drift : {1.0, 2.0, 4.0, 8.0, 16.0}) pairs.push_back({1.2 * drift, drift});
  const estimate made = estimate_paired_ratio(pairs);
  EXPECT_DOUBLE_EQ(made.value, 1.2);
  EXPECT_TRUE(made.range.inside(1.2 - 1e-9, 1.2 + 1e-9));
  figures first;
  figures second;
  for (const pairing& pair : pairs) first.push_back(pair.first), second.push_back(pair.second);
  const estimate unpaired = estimate_ratio(first, second);
  EXPECT_DOUBLE_EQ(unpaired.value, 1.2);
  EXPECT_GT(unpaired.range.high / unpaired.range.low, 4);
}

TEST(EstimateRatio, CountsTheSmallerSample) {
  EXPECT_EQ(estimate_ratio(figures{1, 2, 3}, figures{4, 5}).count, 2U);
  EXPECT_DOUBLE_EQ(estimate_ratio(figures{2, 2, 2}, figures{4, 4}).value, 0.5);
}

TEST(CommonChange, KnowsAKnownAnswer) {
  // All nine pairs fall: U = 0 of 3 and 3, whose normal approximation with continuity is 0.0809.
  const std::vector<then_and_now> falling{{{4, 5, 6}, {2, 2.5, 3}}};
  const change found = common_change(falling);
  EXPECT_DOUBLE_EQ(found.ratio, 0.5);
  EXPECT_NEAR(found.significance, 0.0809, 0.0005);
}

TEST(CommonChange, ComparesNoKindWithAnother) {
  // Each falls, though all that is later lies above all that is earlier of the other.
  const std::vector<then_and_now> kinds{{{4, 4.1, 4.2, 4.3}, {3, 3.1, 3.2, 3.3}}, {{40, 41, 42, 43}, {30, 31, 32, 33}}};
  const change found = common_change(kinds);
  EXPECT_NEAR(found.ratio, 0.76, 0.01);
  EXPECT_LT(found.significance, 0.02);
}

TEST(CommonChange, SeesNoneInNoise) {
  std::mt19937_64 random{3};
  std::lognormal_distribution<double> noise{0, 1};
  int alarms = 0;
  for (int experiment = 0; experiment < 400; ++experiment) {
    std::vector<then_and_now> kinds(2);
    for (then_and_now& kind : kinds) {
      for (int i = 0; i < 5; ++i) kind.earlier.push_back(noise(random));
      for (int i = 0; i < 4; ++i) kind.later.push_back(noise(random));
    }
    alarms += common_change(kinds).significance < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 32);  // 8 %, where 5 % are due
}

TEST(CommonChange, SaysNothingOfKindsSeenOnce) {
  EXPECT_EQ(common_change(std::vector<then_and_now>{{{1, 2}, {}}, {{}, {1, 2}}}).significance, 1);
  EXPECT_EQ(common_change({}).significance, 1);
}

}  // namespace
}  // namespace freshet::tool
