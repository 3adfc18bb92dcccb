#include "tool/search/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace freshet::tool {
namespace {

using figures = std::vector<double>;

TEST(quantile, interpolates_between_neighbours) {
  const figures values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);  // like numpy.quantile and R's type 7
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(median, is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(median_deviation, is_not_moved_by_an_outlier) {
  EXPECT_DOUBLE_EQ(median_deviation(figures{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_DOUBLE_EQ(median_deviation(figures{1, 1, 2, 2, 4, 6, 9000}), 1);
}

TEST(outliers, lie_beyond_a_score_of_three_and_a_half) {
  // 0.6745 * (v - median) / scipy.stats.median_abs_deviation(v): 0.77 -1.16 -0.19 0.29 64.4 -0.67 0
  EXPECT_EQ(outliers(figures{3.1, 2.9, 3.0, 3.05, 9.7, 2.95, 3.02}), (std::vector<std::size_t>{4}));
  EXPECT_EQ(outliers(figures{10, 11, 12, 13, 14, 21, 3}), (std::vector<std::size_t>{}));  // 3.04 and -3.04
  EXPECT_EQ(outliers(figures{10, 11, 12, 13, 14, 23, 1}), (std::vector<std::size_t>{5, 6}));
}

TEST(outliers, are_found_if_most_values_are_equal) {
  // The MAD is 0; the mean distance is 10/8, so that 12 is at 10 / (1.25 / 0.7979) = 6.4.
  EXPECT_EQ(outliers(figures{2, 2, 2, 2, 2, 2, 2, 12}), (std::vector<std::size_t>{7}));
  EXPECT_TRUE(outliers(figures{2, 2, 2, 2, 2, 2}).empty());
}

TEST(outliers, need_five_values) {
  EXPECT_TRUE(outliers(figures{1, 1.1, 0.9, 50}).empty());
  EXPECT_TRUE(outliers(figures{}).empty());
  EXPECT_EQ(outliers(figures{1, 1.1, 0.9, 1, 50}), (std::vector<std::size_t>{4}));
}

TEST(estimate_median, has_no_width_for_equal_values) {
  const estimate result = estimate_median(figures{5, 5, 5, 5});
  EXPECT_EQ(result.value, 5);
  EXPECT_EQ(result.range, (interval{5, 5}));
  EXPECT_EQ(result.count, 4U);
}

figures count_up(std::size_t count) {
  figures values(count);
  // In an order of its own: 7919 is a prime.
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>((i * 7919) % count);
  return values;
}

TEST(estimate_median, interval_follows_the_binomial_distribution) {
  // Ranks from 0 and confidence, as in tables of the sign test: 1 - 2 P(B(n, 1/2) <= rank).
  struct known {
    std::size_t count;
    double rank;
    double confidence;
  };
  for (const known& one : {known{6, 0, 0.96875}, known{7, 0, 0.984375}, known{8, 0, 0.9921875}, known{9, 1, 0.9609375},
                           known{10, 1, 0.978515625}, known{15, 3, 0.96484375}, known{20, 5, 0.95861053}}) {
    const estimate result = estimate_median(count_up(one.count));
    EXPECT_EQ(result.range, (interval{one.rank, static_cast<double>(one.count - 1) - one.rank})) << one.count;
    EXPECT_NEAR(result.confidence, one.confidence, 1e-8) << one.count;
    EXPECT_TRUE(result.has_interval());
  }
}

TEST(estimate_median, has_a_range_but_no_interval_below_six_values) {
  const std::vector<double> confidences{0, 0.5, 0.75, 0.875, 0.9375};
  for (std::size_t count = 1; count <= confidences.size(); ++count) {
    const estimate result = estimate_median(count_up(count));
    EXPECT_EQ(result.range, (interval{0, static_cast<double>(count - 1)}));
    EXPECT_DOUBLE_EQ(result.confidence, confidences[count - 1]);
    EXPECT_FALSE(result.has_interval());
  }
}

TEST(estimate_median, interval_contains_the_true_median_as_often_as_it_says) {
  std::mt19937_64 random{1};
  std::lognormal_distribution<double> skewed{0, 0.5};  // its median is 1
  for (const std::size_t count : {6U, 7U, 9U, 15U, 40U}) {
    int held = 0;
    double confidence = 0;
    for (int experiment = 0; experiment < 4000; ++experiment) {
      figures values(count);
      for (double& value : values) value = skewed(random);
      const estimate result = estimate_median(values);
      confidence = result.confidence;
      held += result.range.low <= 1 && 1 <= result.range.high ? 1 : 0;
    }
    EXPECT_NEAR(held / 4000.0, confidence, 0.015) << count;
  }
}

TEST(estimate_median, of_many_values_agrees_with_the_normal_distribution) {
  // The ends of the interval are at the ranks n/2 ± 1.96 √n / 2.
  const interval range = estimate_median(count_up(100'001)).range;
  EXPECT_NEAR(range.low, 50'000 - 310, 2);
  EXPECT_NEAR(range.high, 50'000 + 310, 2);
}

TEST(estimate_paired_ratio, cancels_drift) {
  std::vector<pairing> pairs;
  for (const double drift : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) pairs.push_back({1.2 * drift, drift});
  const estimate result = estimate_paired_ratio(pairs);
  EXPECT_DOUBLE_EQ(result.value, 1.2);
  EXPECT_TRUE(result.range.inside(1.2 - 1e-9, 1.2 + 1e-9));
}

}  // namespace
}  // namespace freshet::tool
