// What a profile keeps of the trials of a class.
#include "tool/search/way_figures.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using seconds = std::vector<double>;
using test::entry;
using test::mebibyte;

measured_ways measure(const std::vector<candidate>& candidates, io_class measured_class = io_class::none) {
  std::vector<candidate> of = candidates;
  for (candidate& each : of) {
    each.plan.measured_class = measured_class;
    for (trial_result& trial : each.trials) trial.plan.measured_class = measured_class;
  }
  return measure_ways(rank_candidates(measured_class, of), of);
}

// Each trial has 1 GB.
TEST(measure_ways, has_a_figure_of_each_way) {
  const measured_ways ways =
      measure({entry("adaptive", {1, 1}), entry("buffered", {0.5, 0.5, 0.5, 0.5, 0.5}),
               entry("writebehind", {0.6, 0.6}), entry("dontcache", {0.1, 0.1}),
               entry(trial_plan{.method = "uring", .block = 4 * mebibyte, .depth = 2}, {0.4, 0.4, 0.4}),
               entry(trial_plan{.method = "direct", .block = mebibyte, .depth = 1}, {0.9, 0.9, 0.9})});
  EXPECT_DOUBLE_EQ(ways.kept.seconds_per_byte, 0.5e-9);
  EXPECT_EQ(ways.kept.spread, 0);
  EXPECT_EQ(ways.kept.bytes, 5 * test::gigabyte);
  EXPECT_DOUBLE_EQ(ways.behind.seconds_per_byte, 0.6e-9);
  EXPECT_DOUBLE_EQ(ways.past.seconds_per_byte, 0.4e-9);
  EXPECT_EQ(ways.block, 4 * mebibyte);
  EXPECT_EQ(ways.depth, 2U);
}

TEST(measure_ways, takes_dontcache_where_nothing_else_gives_pages_back) {
  candidate broken = entry("writebehind", {0.6, 0.6}, {.invalid = "the content differs"});
  const measured_ways ways = measure({entry("dontcache", {0.7, 0.7}), broken});
  EXPECT_DOUBLE_EQ(ways.behind.seconds_per_byte, 0.7e-9);
  EXPECT_EQ(ways.kept, way_figure{});
  EXPECT_EQ(ways.past, way_figure{});
}

TEST(measure_ways, counts_what_the_program_waited_for) {
  candidate cached = entry("buffered", {1});
  for (int block = 0; block < 100; ++block) cached.trials[0].block_latency.add(2'000'000);
  candidate direct = entry("direct", {1});
  direct.trials[0].block_latency = cached.trials[0].block_latency;
  const measured_ways ways = measure({cached, direct});
  EXPECT_NEAR(ways.kept.seconds_per_byte, 0.2e-9, 0.02e-9);
  EXPECT_DOUBLE_EQ(ways.past.seconds_per_byte, 1e-9) << "the device works while the program forms lines";
  EXPECT_NEAR(measure({cached, direct}, io_class::cold).past.seconds_per_byte, 0.2e-9, 0.02e-9)
      << "a program waits for what it reads";
}

TEST(measure_ways, goes_by_the_clock_to_disk_for_durable_files) {
  candidate cached = entry("buffered", {1, 1}, {.disk = 2});
  cached.trials = test::watched(std::move(cached.trials));
  const measured_ways ways = measure({cached, entry("direct", {1, 1}, {.disk = 1.5})}, io_class::at_close);
  EXPECT_DOUBLE_EQ(ways.kept.seconds_per_byte, 2e-9);
  EXPECT_DOUBLE_EQ(ways.past.seconds_per_byte, 1.5e-9);
}

TEST(measure_ways, has_no_pages_given_back_while_reading) {
  const measured_ways ways = measure({entry("buffered", {1, 1}), entry("dontcache", {1, 1})}, io_class::cold);
  EXPECT_GT(ways.kept.seconds_per_byte, 0);
  EXPECT_EQ(ways.behind, way_figure{});
}

TEST(measure_ways, says_how_much_trials_vary) {
  EXPECT_DOUBLE_EQ(measure({entry("buffered", {0.9, 1, 1.2})}).kept.spread, 0.3) << "few: from the least to the most";
  EXPECT_DOUBLE_EQ(measure({entry("buffered", {0.1, 0.9, 1, 1.1, 9})}).kept.spread, 0.2) << "the middle half";
}

TEST(measure_ways, leaves_out_what_programs_knew_before) {
  const trial_plan direct{.method = "direct"};
  trial_plan later = direct;
  later.prior = prior_state::process;
  EXPECT_DOUBLE_EQ(measure({entry(direct, {1, 1}), entry(later, {0.5, 0.5})}).past.seconds_per_byte, 1e-9);
}

}  // namespace
}  // namespace freshet::tool
