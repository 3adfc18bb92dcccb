#include "tool/search/significance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace freshet::tool {
namespace {

using figures = std::vector<double>;

struct two_samples {
  figures first;
  figures second;
  double u;
  double p;
};

// scipy.stats.mannwhitneyu(first, second), SciPy 1.10.1
TEST(mann_whitney, agrees_with_scipy) {
  const std::vector<two_samples> known{
      {{1.1, 2.2, 3.3}, {2.5, 4.4, 5.5, 6.6}, 1, 0.11428571428571428},
      {{3.02, 3.11, 2.98, 3.05, 3.2}, {3.3, 3.41, 3.18, 3.52, 3.61, 3.29}, 1, 0.008658008658008658},
      {{19, 22, 16, 29, 24}, {20, 11, 17, 12}, 17, 0.1111111111111111},
      {{5}, {1, 2, 3, 4, 6, 7, 8, 9, 10, 11}, 4, 0.9090909090909092},
      // ties
      {{1, 2, 2, 3, 4}, {2, 3, 5, 6, 7}, 4.5, 0.11161176829829224},
      {{10.0, 13.7, 13.3, 12.9, 12.5, 12.1, 11.7, 11.3, 10.9, 10.5, 10.1, 13.8},
       {10.8, 11.8, 12.8, 13.8, 14.8, 11.5, 12.5, 13.5, 14.5, 11.2, 12.2, 13.2, 14.2, 10.9, 11.9},
       63.5,
       0.20435141862506345},
      {{1, 2, 3}, {1, 2, 3}, 4.5, 1},
      {{7, 7}, {7, 7, 7}, 3, 1},
      // more than eight values in both
      {{0.0, 0.7913, 0.5827, 0.374, 0.1654, 0.9567, 0.7481, 0.5394, 0.3308},
       {0.6656, 1.1311, 0.5967, 1.0623, 0.5279, 0.9934, 0.459, 0.9246, 0.3902, 0.8557, 0.3213, 0.7869, 0.2525},
       39,
       0.20451844490430449},
  };
  for (const two_samples& sample : known) {
    const rank_test result = mann_whitney(sample.first, sample.second);
    EXPECT_DOUBLE_EQ(result.statistic, sample.u);
    EXPECT_NEAR(result.significance, sample.p, 1e-12);
    EXPECT_NEAR(mann_whitney(sample.second, sample.first).significance, sample.p, 1e-12);
  }
}

TEST(mann_whitney, counts_a_few_against_many_exactly) {
  // scipy.stats.mannwhitneyu([i * 1.7 + 0.05 for i in range(8)], [i * 0.4 for i in range(60)])
  figures few;
  figures many;
  for (int i = 0; i < 8; ++i) few.push_back(i * 1.7 + 0.05);
  for (int i = 0; i < 60; ++i) many.push_back(i * 0.4);
  const rank_test result = mann_whitney(few, many);
  EXPECT_EQ(result.statistic, 124);
  EXPECT_NEAR(result.significance, 0.025908876748118495, 1e-12);
}

TEST(mann_whitney, of_one_against_very_many_is_its_rank) {
  figures many(20'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i) + 0.5;
  EXPECT_NEAR(mann_whitney(figures{100}, many).significance, 2.0 * 101 / 20'001, 1e-12);
}

TEST(estimate_ratio, leaves_out_as_many_pairs_as_the_table_of_mann_and_whitney_says) {
  // Of five and five values, U may be 2 at most to be significant at 5 %: 2 * 4 ways of 252. Their 25 ratios are all
  // different: 2^(i - 5 j).
  figures first;
  figures second;
  for (int i = 0; i < 5; ++i) first.push_back(std::exp2(i)), second.push_back(std::exp2(5 * i));
  const estimate result = estimate_ratio(first, second);
  EXPECT_NEAR(result.confidence, 1 - 8.0 / 252, 1e-12);
  EXPECT_DOUBLE_EQ(result.value, std::exp2(2 - 10));
  EXPECT_DOUBLE_EQ(result.range.low, std::exp2(2 - 20));
  EXPECT_DOUBLE_EQ(result.range.high, std::exp2(2));
  EXPECT_EQ(result.count, 5U);
}

TEST(estimate_ratio, has_no_interval_of_three_and_three_values) {
  const estimate result = estimate_ratio(figures{2, 2.1, 2.2}, figures{1, 1.1, 1.2});
  EXPECT_DOUBLE_EQ(result.confidence, 0.9);
  EXPECT_FALSE(result.has_interval());
  EXPECT_TRUE(estimate_ratio(figures{2, 2.1, 2.2, 2.3}, figures{1, 1.1, 1.2, 1.3}).has_interval());
}

TEST(estimate_ratio, contains_the_true_ratio_as_often_as_it_says) {
  std::mt19937_64 random{8};
  std::lognormal_distribution<double> noise{0, 0.4};
  for (const auto& [few, many] : {std::pair{4U, 4U}, std::pair{6U, 9U}, std::pair{12U, 20U}}) {
    int held = 0;
    double confidence = 0;
    for (int experiment = 0; experiment < 3000; ++experiment) {
      figures first(few);
      figures second(many);
      for (double& one : first) one = 1.3 * noise(random);
      for (double& one : second) one = noise(random);
      const estimate result = estimate_ratio(first, second);
      confidence = result.confidence;
      held += result.range.low <= 1.3 && 1.3 <= result.range.high ? 1 : 0;
    }
    EXPECT_NEAR(held / 3000.0, confidence, 0.015) << few << " and " << many;
  }
}

// Of all ways to sort two and four figures, and one and five, one has all later ones above: p = 2 / (15 * 6).
TEST(mann_whitney, compares_figures_of_several_kinds_within_each) {
  const sample_pair slow{.earlier = {50, 51}, .later = {90, 91, 92, 93}};
  const sample_pair quick{.earlier = {1.0, 1.1, 1.2, 1.3, 1.4}, .later = {2}};
  const sample_pair alone{.earlier = {7}, .later = {}};
  const rank_test result = mann_whitney(std::array{slow, quick, alone});
  EXPECT_EQ(result.statistic, 8 + 5);
  EXPECT_NEAR(result.significance, 2.0 / 90, 1e-12);
  EXPECT_EQ(mann_whitney(std::array{alone}).significance, 1);
  const estimate ratio = estimate_ratio(std::array{slow, quick, alone});
  EXPECT_NEAR(ratio.confidence, 1 - 2.0 / 90, 1e-12);
  EXPECT_EQ(ratio.count, 5U);
  EXPECT_DOUBLE_EQ(ratio.range.low, 2 / 1.4);
  EXPECT_DOUBLE_EQ(ratio.range.high, 2 / 1.0);
}

// Kinds whose figures differ by more than the ratio that they have in common.
TEST(estimate_ratio, of_several_kinds_contains_the_true_ratio_as_often_as_it_says) {
  std::mt19937_64 random{12};
  std::lognormal_distribution<double> noise{0, 0.2};
  const auto draw = [&](std::size_t count, double usual) {
    figures all(count);
    for (double& one : all) one = usual * noise(random);
    return all;
  };
  for (const std::size_t most : {5U, 12U}) {  // counted, and by the normal distribution
    int held = 0;
    double confidence = 0;
    for (int experiment = 0; experiment < 3000; ++experiment) {
      const std::array kinds{sample_pair{.earlier = draw(most, 1), .later = draw(4, 1.3)},
                             sample_pair{.earlier = draw(1, 6), .later = draw(2, 6 * 1.3)},
                             sample_pair{.earlier = draw(10, 20), .later = draw(most, 20 * 1.3)}};
      const estimate result = estimate_ratio(kinds);
      confidence = result.confidence;
      held += result.range.low <= 1.3 && 1.3 <= result.range.high ? 1 : 0;
    }
    EXPECT_NEAR(held / 3000.0, confidence, 0.015) << most;
  }
}

TEST(estimate_ratio, of_many_values_is_narrow) {
  std::mt19937_64 random{4};
  std::lognormal_distribution<double> noise{0, 0.5};
  figures first(50'000);
  figures second(50'001);
  for (double& value : first) value = 1.2 * noise(random);
  for (double& value : second) value = noise(random);
  const estimate result = estimate_ratio(first, second);
  EXPECT_TRUE(result.range.inside(1.17, 1.23));
  EXPECT_LT(result.range.low, 1.2);
  EXPECT_GT(result.range.high, 1.2);
}

TEST(mann_whitney, finds_nothing_in_empty_samples) {
  EXPECT_EQ(mann_whitney({}, figures{1, 2}).significance, 1);
  EXPECT_EQ(mann_whitney(figures{1, 2}, {}).significance, 1);
}

TEST(mann_whitney, finds_no_more_in_noise_than_its_significance) {
  std::mt19937_64 random{9};
  std::lognormal_distribution<double> noise{0, 1};
  int alarms = 0;
  for (int experiment = 0; experiment < 2000; ++experiment) {
    figures first(7);
    figures second(12);
    for (double& one : first) one = noise(random);
    for (double& one : second) one = noise(random);
    alarms += mann_whitney(first, second).significance < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 130);  // 100 are expected
  EXPECT_GE(alarms, 60);
}

// scipy.stats.binomtest(above, above + below).pvalue, SciPy 1.10.1
TEST(sign_test, agrees_with_scipy) {
  const auto significance = [](int above, int below, int equal = 0) {
    std::vector<pairing> pairs(static_cast<std::size_t>(equal), pairing{1, 1});
    for (int i = 0; i < above; ++i) pairs.push_back({2, 1});
    for (int i = 0; i < below; ++i) pairs.push_back({1, 2});
    return sign_test(pairs).significance;
  };
  EXPECT_DOUBLE_EQ(significance(6, 0), 0.03125);
  EXPECT_DOUBLE_EQ(significance(0, 6, 3), 0.03125);
  EXPECT_DOUBLE_EQ(significance(7, 1), 0.0703125);
  EXPECT_DOUBLE_EQ(significance(4, 4), 1);
  EXPECT_NEAR(significance(60, 40), 0.05688793364098088, 1e-12);
  EXPECT_EQ(significance(0, 0, 2), 1);
}

// scipy.stats.spearmanr(one, other), SciPy 1.10.1
TEST(spearman, agrees_with_scipy) {
  const auto expect = [](const figures& one, const figures& other, double rho, double p) {
    const rank_test result = spearman(one, other);
    EXPECT_NEAR(result.statistic, rho, 1e-12);
    EXPECT_NEAR(result.significance, p, 1e-12);
  };
  expect({1, 2, 3}, {1, 3, 2}, 0.5, 0.6666666666666667);
  expect({1, 2, 3, 4}, {4, 3, 1, 2}, -0.8, 0.2);
  expect({1, 2, 3, 4, 5, 6, 7}, {2.1, 1.9, 2.5, 2.2, 3.1, 2.9, 3.5}, 0.8928571428571429, 0.006807187408935392);
  expect({1, 2, 3, 4, 5, 6, 7, 8}, {5, 6, 7, 8, 7, 6, 5, 9}, 0.3394500514782104, 0.41073304297161684);
  expect({0, 0, 1, 1, 2, 2, 3, 3, 4}, {1.0, 1.1, 1.0, 1.2, 1.3, 1.2, 1.25, 1.4, 1.31}, 0.8632793956885894,
         0.002715004865888233);
  figures rising;
  figures other;  // spearmanr(range(50), [(i * 29) % 53 + i * 0.6 for i in range(50)])
  for (int i = 0; i < 50; ++i) {
    rising.push_back(i);
    other.push_back((i * 29) % 53 + i * 0.6);
  }
  expect(rising, other, 0.5457382953181272, 4.150731591706159e-05);
}

TEST(spearman, finds_nothing_in_few_or_equal_values) {
  EXPECT_EQ(spearman(figures{1, 2}, figures{1, 2}).significance, 1);
  EXPECT_EQ(spearman(figures{1, 2, 3, 4}, figures{5, 5, 5, 5}).significance, 1);
}

TEST(holm, corrects_for_the_number_of_tests) {
  // Ordered: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 1 * 0.04, which may not be less than the one before.
  const figures corrected = holm(figures{0.01, 0.04, 0.03, 0.005});
  const figures expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(corrected[i], expected[i]);
  EXPECT_EQ(holm(figures{0.6, 0.7}), (figures{1, 1}));
  EXPECT_EQ(holm(figures{0.02}), (figures{0.02}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(format_p_value, is_short) {
  EXPECT_EQ(format_p_value(0.0123), "p = 0.012");
  EXPECT_EQ(format_p_value(0.00099), "p < 0.001");
  EXPECT_EQ(format_p_value(1), "p = 1");
}

TEST(common_change, of_one_kind_is_that_of_mann_and_whitney) {
  const figures before{10.0, 13.7, 13.3, 12.9, 12.5, 12.1, 11.7, 11.3, 10.9, 10.5, 10.1, 13.8};
  const figures after{10.8, 11.8, 12.8, 13.8, 14.8, 11.5, 12.5, 13.5, 14.5, 11.2, 12.2, 13.2, 14.2, 10.9, 11.9};
  const change effect = common_change(std::vector<sample_pair>{{before, after}});
  EXPECT_NEAR(effect.significance, mann_whitney(before, after).significance, 1e-12);
}

TEST(common_change, of_very_many_figures_agrees_with_all_of_them) {
  std::mt19937_64 random{6};
  std::lognormal_distribution<double> noise{0, 0.3};
  sample_pair many;
  for (int i = 0; i < 40'000; ++i) {
    many.earlier.push_back(noise(random));
    many.later.push_back(1.07 * noise(random));
  }
  const change effect = common_change(std::vector<sample_pair>{many});
  EXPECT_NEAR(effect.ratio, 1.07, 0.01);
  EXPECT_LT(effect.significance, 1e-9);
}

TEST(common_change, knows_a_known_answer) {
  // All nine pairs fall: U = 0 of 3 and 3, whose normal approximation with continuity is 0.0809.
  const std::vector<sample_pair> falling{{{4, 5, 6}, {2, 2.5, 3}}};
  const change effect = common_change(falling);
  EXPECT_DOUBLE_EQ(effect.ratio, 0.5);
  EXPECT_NEAR(effect.significance, 0.0809, 0.0005);
}

TEST(common_change, compares_each_kind_only_with_itself) {
  // Each kind falls, although all later values lie above all earlier values of the other kind.
  const std::vector<sample_pair> kinds{{{4, 4.1, 4.2, 4.3}, {3, 3.1, 3.2, 3.3}}, {{40, 41, 42, 43}, {30, 31, 32, 33}}};
  const change effect = common_change(kinds);
  EXPECT_NEAR(effect.ratio, 0.76, 0.01);
  EXPECT_LT(effect.significance, 0.02);
}

TEST(common_change, finds_none_in_noise) {
  std::mt19937_64 random{3};
  std::lognormal_distribution<double> noise{0, 1};
  int alarms = 0;
  for (int experiment = 0; experiment < 400; ++experiment) {
    std::vector<sample_pair> kinds(2);
    for (sample_pair& kind : kinds) {
      for (int i = 0; i < 5; ++i) kind.earlier.push_back(noise(random));
      for (int i = 0; i < 4; ++i) kind.later.push_back(noise(random));
    }
    alarms += common_change(kinds).significance < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 32);  // 8 %; 5 % are expected
}

TEST(common_change, ignores_kinds_of_one_time_only) {
  EXPECT_EQ(common_change(std::vector<sample_pair>{{{1, 2}, {}}, {{}, {1, 2}}}).significance, 1);
  EXPECT_EQ(common_change({}).significance, 1);
}

}  // namespace
}  // namespace freshet::tool
