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

TEST(estimate_median, of_three_values_reaches_from_the_least_to_the_most) {
  // The probability that all three draws are the smallest value is 1/27, more than the 2.5 % outside.
  EXPECT_EQ(estimate_median(figures{3, 1, 2}).range, (interval{1, 3}));
}

TEST(estimate_median, is_the_same_for_the_same_seed) {
  const figures values{1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(estimate_median(values, {.seed = 7}).range, estimate_median(values, {.seed = 7}).range);
}

TEST(estimate_median, interval_contains_the_true_median_as_often_as_promised) {
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
  EXPECT_LE(held, 396);  // an interval that always contains it is too wide to be useful
}

TEST(estimate_median, agrees_with_scipy) {
  // scipy.stats.bootstrap((v,), np.median, n_resamples=200000, method="percentile", random_state=1)
  const figures odd{12.1, 11.9, 12.4, 13.0, 11.7, 12.2, 12.8, 12.6, 14.1, 11.8, 12.3};
  const figures even{12.1, 11.9, 12.4, 13.0, 11.7, 12.2, 12.8, 12.6};
  EXPECT_EQ(estimate_median(odd, {.resamples = 50'000}).range, (interval{11.9, 12.8}));
  EXPECT_EQ(estimate_median(even, {.resamples = 50'000}).range, (interval{11.9, 12.8}));
}

/// Computes the same as estimate_median() by actually drawing every resample.
interval by_resampling(const figures& values, unsigned resamples) {
  std::mt19937_64 random{5};
  std::uniform_int_distribution<std::size_t> any{0, values.size() - 1};
  figures medians(resamples);
  figures drawn(values.size());
  for (double& one : medians) {
    for (double& value : drawn) value = values[any(random)];
    one = median(drawn);
  }
  return {quantile(medians, 0.025), quantile(medians, 0.975)};
}

TEST(estimate_median, agrees_with_drawn_resamples) {
  std::mt19937_64 random{2};
  std::lognormal_distribution<double> skewed{0, 0.5};
  for (const std::size_t count : {2U, 3U, 6U, 7U, 20U, 101U, 400U}) {
    figures values(count);
    for (double& value : values) value = skewed(random);
    const interval range = estimate_median(values, {.resamples = 20'000}).range;
    const interval drawn = by_resampling(values, 20'000);
    const double width = drawn.high - drawn.low;
    EXPECT_NEAR(range.low, drawn.low, 0.05 * width) << count;
    EXPECT_NEAR(range.high, drawn.high, 0.05 * width) << count;
  }
}

TEST(estimate_median, of_many_values_agrees_with_order_statistics) {
  // Of 100,001 equally spaced values, the binomial distribution puts its ends at the ranks n/2 ± 1.96 √n / 2.
  figures values(100'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7919) % values.size());
  const interval range = estimate_median(values, {.resamples = 20'000}).range;
  EXPECT_NEAR(range.low, 50'000 - 310, 8);
  EXPECT_NEAR(range.high, 50'000 + 310, 8);
}

TEST(estimate_ratio, of_many_values_contains_the_true_ratio) {
  std::mt19937_64 random{4};
  std::lognormal_distribution<double> skewed{0, 0.5};
  figures first(50'000);
  figures second(50'001);
  for (double& value : first) value = 1.2 * skewed(random);
  for (double& value : second) value = skewed(random);
  const estimate result = estimate_ratio(first, second);
  EXPECT_TRUE(result.range.inside(1.17, 1.23));
  EXPECT_LT(result.range.low, 1.2);
  EXPECT_GT(result.range.high, 1.2);
}

TEST(estimate_paired_ratio, cancels_drift) {
  std::vector<pairing> pairs;
  for (const double drift : {1.0, 2.0, 4.0, 8.0, 16.0}) pairs.push_back({1.2 * drift, drift});
  const estimate result = estimate_paired_ratio(pairs);
  EXPECT_DOUBLE_EQ(result.value, 1.2);
  EXPECT_TRUE(result.range.inside(1.2 - 1e-9, 1.2 + 1e-9));
  figures first;
  figures second;
  for (const pairing& pair : pairs) first.push_back(pair.first), second.push_back(pair.second);
  const estimate unpaired = estimate_ratio(first, second);
  EXPECT_DOUBLE_EQ(unpaired.value, 1.2);
  EXPECT_GT(unpaired.range.high / unpaired.range.low, 4);
}

TEST(estimate_ratio, counts_the_smaller_sample) {
  EXPECT_EQ(estimate_ratio(figures{1, 2, 3}, figures{4, 5}).count, 2U);
  EXPECT_DOUBLE_EQ(estimate_ratio(figures{2, 2, 2}, figures{4, 4}).value, 0.5);
}

}  // namespace
}  // namespace freshet::tool
