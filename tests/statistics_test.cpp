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

TEST(CommonTrend, KnowsAKnownAnswer) {
  // S = 10 of 10 pairs; its variance for five points is 5·4·15/18; p = erfc(9 / sqrt(2 · 16.667)).
  const std::vector<std::vector<point>> rising{{{0, 1}, {1, 3}, {2, 5}, {3, 7}, {4, 9}}};
  const trend found = common_trend(rising);
  EXPECT_DOUBLE_EQ(found.slope, 2);
  EXPECT_NEAR(found.significance, 0.0275, 0.0005);
}

TEST(CommonTrend, ComparesNoCurveWithAnother) {
  // Each falls, though the later one lies above the earlier one.
  const std::vector<std::vector<point>> curves{{{0, 4}, {1, 3}, {2, 2}, {3, 1}}, {{4, 40}, {5, 39}, {6, 38}, {7, 37}}};
  const trend found = common_trend(curves);
  EXPECT_DOUBLE_EQ(found.slope, -1);
  EXPECT_LT(found.significance, 0.02);
}

TEST(CommonTrend, SeesNoneInNoise) {
  std::mt19937_64 random{3};
  std::normal_distribution<double> noise{0, 1};
  int alarms = 0;
  for (int experiment = 0; experiment < 400; ++experiment) {
    std::vector<point> curve;
    for (int i = 0; i < 12; ++i) curve.push_back({static_cast<double>(i), noise(random)});
    const std::vector<std::vector<point>> curves{curve};
    alarms += common_trend(curves).significance < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 32);  // 8 %, where 5 % are due
}

TEST(CommonTrend, SaysNothingOfSinglePoints) {
  const std::vector<std::vector<point>> curves{{{0, 1}}, {}};
  EXPECT_EQ(common_trend(curves).significance, 1);
}

}  // namespace
}  // namespace freshet::tool
