// Histograms of latencies and curves of speed: little memory, known errors, and nothing lost when they are joined.
#include "tool/measure/latency.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tool/measure/rate_curve.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// Of any magnitude; rapidcheck's own are mostly small.
rc::Gen<std::uint64_t> any_latency() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0, 64)),
                      [](const auto& number) { return number.first >> number.second; });
}

latency_histogram histogram_of(const std::vector<std::uint64_t>& calls) {
  latency_histogram histogram;
  for (const std::uint64_t each : calls) histogram.add(each);
  return histogram;
}

TEST(latency_histogram, is_empty_at_first) {
  const latency_histogram none;
  EXPECT_EQ(none.calls(), 0U);
  EXPECT_TRUE(none.buckets().empty());
}

TEST(latency_histogram, has_buckets_without_gaps_up_to_the_largest_number) {
  for (unsigned bucket = 0; bucket < latency_histogram::bucket_count; ++bucket) {
    const std::uint64_t least = latency_histogram::lower_end(bucket);
    const std::uint64_t end = latency_histogram::upper_end(bucket);
    ASSERT_LT(least, end);
    EXPECT_EQ(latency_histogram::bucket_of(least), bucket);
    EXPECT_EQ(latency_histogram::bucket_of(end - 1), bucket);
    EXPECT_LE(static_cast<double>(end - least), std::max(1.0, 0.125 * static_cast<double>(least)));
  }
  EXPECT_EQ(latency_histogram::bucket_of(largest), latency_histogram::bucket_count - 1);
  EXPECT_EQ(latency_histogram::upper_end(latency_histogram::bucket_count - 1), largest);
}

RC_GTEST_PROP(latency_histogram, tells_quantiles_to_an_eighth, ()) {
  auto calls = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(any_latency()));
  const double p = *rc::gen::map(rc::gen::inRange(0, 1001), [](int permille) { return permille / 1000.0; });
  const latency_histogram histogram = histogram_of(calls);
  RC_ASSERT(histogram.calls() == calls.size());
  std::ranges::sort(calls);
  const auto wanted = static_cast<std::size_t>(std::ceil(p * static_cast<double>(calls.size())));
  const std::uint64_t exact = calls[wanted == 0 ? 0 : wanted - 1];
  const std::uint64_t result = histogram.quantile(p);
  RC_ASSERT(result > exact || exact == largest);
  RC_ASSERT(static_cast<double>(result) <=
            std::max(1.125 * static_cast<double>(exact), static_cast<double>(exact) + 1));
}

TEST(latency_histogram, tells_quantiles_of_more_calls_than_a_double_counts) {
  latency_histogram calls;
  calls.add_bucket(latency_histogram::bucket_of(1000), (std::uint64_t{1} << 56) + 1);
  EXPECT_GT(calls.quantile(1), 1000U);
}

RC_GTEST_PROP(latency_histogram, keeps_all_calls_when_joined, ()) {
  const auto some = *rc::gen::container<std::vector<std::uint64_t>>(any_latency());
  const auto others = *rc::gen::container<std::vector<std::uint64_t>>(any_latency());
  latency_histogram joined = histogram_of(some);
  joined.add(histogram_of(others));
  auto all = some;
  all.insert(all.end(), others.begin(), others.end());
  RC_ASSERT(joined == histogram_of(all));
  latency_histogram taken_up;
  for (const auto& [bucket, calls] : joined.buckets()) taken_up.add_bucket(bucket, calls);
  RC_ASSERT(taken_up == joined);
}

std::uint64_t sum_of(const rate_curve& curve) {
  return std::accumulate(curve.bytes().begin(), curve.bytes().end(), std::uint64_t{0});
}

/// Bytes moved at some time.
struct moved {
  double seconds;
  std::uint64_t bytes;
};

rc::Gen<std::vector<moved>> any_moves() {
  return rc::gen::container<std::vector<moved>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 10'000'000), rc::gen::inRange<std::uint64_t>(0, 1 << 30)),
                   [](const auto& move) {
                     return moved{move.first * 1e-5, move.second};
                   }));
}

rate_curve curve_of(const std::vector<moved>& moves) {
  rate_curve curve;
  for (const moved& each : moves) curve.add(each.seconds, each.bytes);
  return curve;
}

std::uint64_t sum_of(const std::vector<moved>& moves) {
  return std::accumulate(moves.begin(), moves.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const moved& each) { return sum + each.bytes; });
}

TEST(rate_curve, puts_bytes_where_they_were_moved) {
  rate_curve curve;
  EXPECT_EQ(curve.step(), 0);
  for (int second = 0; second < 1000; ++second) curve.add(second + 0.5, 1000);
  EXPECT_EQ(curve.step(), 8);
  ASSERT_EQ(curve.bytes().size(), 125U);
  EXPECT_TRUE(std::ranges::all_of(curve.bytes(), [](std::uint64_t bytes) { return bytes == 8000; }));
}

RC_GTEST_PROP(rate_curve, loses_nothing_and_stays_small, ()) {
  const auto moves = *any_moves();
  const rate_curve curve = curve_of(moves);
  RC_ASSERT(sum_of(curve) == sum_of(moves));
  RC_ASSERT(curve.bytes().size() <= rate_curve::most);
  for (const moved& each : moves) RC_ASSERT(each.seconds < curve.step() * static_cast<double>(curve.bytes().size()));
  RC_ASSERT(rate_curve::of(curve.step(), curve.bytes()) == curve);
}

TEST(rate_curve, is_not_made_of_what_no_curve_can_be) {
  EXPECT_THROW((void)rate_curve::of(0, {1}), std::invalid_argument);
  EXPECT_THROW((void)rate_curve::of(1, {}), std::invalid_argument);
  EXPECT_THROW((void)rate_curve::of(-1, {1}), std::invalid_argument);
  EXPECT_THROW((void)rate_curve::of(std::numeric_limits<double>::infinity(), {1}), std::invalid_argument);
  EXPECT_THROW((void)rate_curve::of(std::numeric_limits<double>::quiet_NaN(), {1}), std::invalid_argument);
  EXPECT_THROW((void)rate_curve::of(1, std::vector<std::uint64_t>(rate_curve::most + 1)), std::invalid_argument);
}

RC_GTEST_PROP(rate_curve, is_the_same_whoever_moved_the_bytes, ()) {
  const auto some = *any_moves();
  const auto others = *any_moves();
  rate_curve joined = curve_of(some);
  joined.add(curve_of(others));
  auto all = some;
  all.insert(all.end(), others.begin(), others.end());
  RC_ASSERT(joined == curve_of(all));
}

}  // namespace
}  // namespace freshet::tool
