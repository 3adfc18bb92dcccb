// When an adaptive file goes on by the other way, over simulated machines.
#include "src/method/way_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "tests/src/method/replayed_rates.hpp"
#include "tests/support/soak.hpp"

namespace freshet::detail {
namespace {

using namespace simulation;

/// Memory that a host has taken back, and memory that is at hand, before a disk of 2 GB/s.
const machine cold{always(450e6), always(2000e6)};
const machine quick{always(4000e6), always(2000e6)};

outcome_of_file write_file(const machine& on, std::uint64_t size, std::uint64_t call = 256 * KiB) {
  return simulated_file{on}.write(size, call);
}

double to_cached(const machine& on, std::uint64_t size) {
  return cached_seconds(on, size) / write_file(on, size).seconds;
}

TEST(last_few, forget_what_is_old_and_are_not_misled_by_one_interruption) {
  last_few few;
  EXPECT_EQ(few.median(), 0) << "there are none";
  few.add(7);
  EXPECT_EQ(few.median(), 7);
  for (int later = 0; later < 100; ++later) few.add(3);
  EXPECT_EQ(few.median(), 3);
  few.add(100);
  EXPECT_EQ(few.median(), 3);
  for (int later = 0; later < 100; ++later) few.add(7);
  EXPECT_EQ(few.median(), 7);
  few.clear();
  EXPECT_EQ(few.count(), 0U);
  EXPECT_EQ(few.median(), 0);
}

TEST(way_rule, keeps_the_pages_while_memory_is_quick) {
  for (const std::uint64_t size : {64 * MiB, GiB, 16 * GiB}) {
    EXPECT_GE(to_cached(quick, size), 0.97) << size / MiB;
    EXPECT_EQ(write_file(quick, size).last, way::kept);
  }
}

TEST(way_rule, gives_the_pages_back_where_other_memory_is_slow) {
  EXPECT_GE(to_cached(cold, GiB), 3);
  EXPECT_GE(to_cached(cold, 64 * MiB), 2);
  EXPECT_NE(write_file(cold, GiB).last, way::kept);
  EXPECT_GE(best_seconds(cold, 16 * GiB) / write_file(cold, 16 * GiB).seconds, 0.9);
}

TEST(way_rule, leaves_memory_that_becomes_slow_at_once) {
  const machine turning{[](double, std::uint64_t offset) { return offset < GiB ? 4000e6 : 450e6; }, always(2000e6)};
  const outcome_of_file written = write_file(turning, 2 * GiB);
  EXPECT_GE(written.behind_bytes + written.past_bytes, GiB - 16 * MiB) << "the second half";
}

TEST(way_rule, keeps_the_pages_again_once_memory_is_quick) {
  const machine turning{[](double, std::uint64_t offset) { return offset < GiB ? 450e6 : 4000e6; }, always(2000e6)};
  const outcome_of_file written = write_file(turning, 8 * GiB);
  EXPECT_EQ(written.last, way::kept);
  EXPECT_LE(written.behind_bytes, 4 * GiB);
}

// The device is faster than the page cache, but has nothing to do until the file has so many bytes that waiting for it
// would not pay.
TEST(way_rule, has_the_device_catch_up_where_it_is_faster_than_a_quick_page_cache) {
  const machine on{always(3000e6), always(2500e6), 4000e6};
  EXPECT_GE(best_seconds(on, 4 * GiB) / write_file(on, 4 * GiB).seconds, 0.95);
  EXPECT_GE(best_seconds(on, GiB) / write_file(on, GiB).seconds, 0.87);
  EXPECT_GE(write_file(on, GiB).past_bytes, GiB / 2);
}

// A processor that others slow down takes longer for what the program does, and for what the page cache does. The
// device, which works meanwhile, does not.
TEST(way_rule, leaves_the_page_cache_where_the_processor_becomes_slow) {
  way_rule rule{{.usual_cost = behind_cost}};
  double now = 0;
  const auto write = [&](double own, double waited, int samples) {
    way next = way::kept;
    for (int sample = 0; sample < samples && next == way::kept; ++sample) {
      constexpr auto bytes = static_cast<double>(way_rule::sample_bytes);
      now += (own + waited) * bytes;
      next = rule.count(way_rule::sample_bytes, waited * bytes, now);
    }
    return next;
  };
  EXPECT_EQ(write(0.08e-9, 0.14e-9, 16), way::kept);
  rule.learn_device(0.24e-9);
  EXPECT_EQ(write(0.08e-9, 0.14e-9, 16), way::kept) << "both are about as fast";
  EXPECT_EQ(write(0.17e-9, 0.17e-9, 16), way::behind) << "the device catches up";
  EXPECT_EQ(rule.reason(), change_reason::device_faster);
}

TEST(way_rule, loses_nothing_to_a_slow_device) {
  for (const double cached : {4000e6, 800e6}) {
    const machine slow{always(cached), always(150e6)};
    EXPECT_GE(to_cached(slow, 4 * GiB), 0.93) << cached;
  }
}

TEST(way_rule, probes_nothing_where_the_program_hardly_waits) {
  machine slow_program = cold;
  slow_program.program = 10e6;
  EXPECT_TRUE(write_file(slow_program, GiB / 4).changes.empty());
}

TEST(way_rule, probes_nothing_early_in_a_file_that_is_written_quickly) {
  EXPECT_TRUE(write_file(quick, 64 * MiB).changes.empty());
}

// A rate that is halved for a moment, or one call that is interrupted.
TEST(way_rule, is_not_misled_by_single_calls) {
  const machine interrupted{
      [](double, std::uint64_t offset) { return offset / MiB % 16 == 3 && offset % MiB == 0 ? 40e6 : 4000e6; },
      always(2000e6)};
  EXPECT_GE(to_cached(interrupted, 4 * GiB), 0.95);
}

// What others do to the memory for a moment.
TEST(way_rule, keeps_the_pages_through_short_spells_of_slow_memory) {
  const machine disturbed{[](double, std::uint64_t offset) { return offset / MiB % 64 < 4 ? 1000e6 : 4000e6; },
                          always(2000e6)};
  const outcome_of_file written = write_file(disturbed, 4 * GiB);
  EXPECT_GE(to_cached(disturbed, 4 * GiB), 0.95);
  EXPECT_LE(written.behind_bytes + written.past_bytes, 400 * MiB);
}

TEST(way_rule, probes_seldom) {
  for (const machine& on : {cold, quick}) {
    const outcome_of_file written = write_file(on, 16 * GiB);
    EXPECT_LE(static_cast<double>(written.changes.size()), 3 * (6 + written.seconds));
  }
}

TEST(way_rule, takes_calls_of_any_size) {
  for (const std::uint64_t call : {4 * KiB, 64 * KiB, 3 * MiB, 64 * MiB}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(write_file(quick, 4 * GiB, call).last, way::kept);
    const outcome_of_file written = write_file(cold, 4 * GiB, call);
    EXPECT_GE(written.behind_bytes + written.past_bytes, 3 * GiB);
  }
}

// Whatever the rates of a machine are, and however they change: what looking costs stays small beside what the page
// cache by itself takes.
TEST(way_rule, costs_little_on_any_machine) {
  std::mt19937_64 random{test::sample_seed()};
  const auto draw = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>{std::log(low), std::log(high)}(random));
  };
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t turn = random() % (2 * GiB);
    const double before = draw(100e6, 6e9);
    const double after = draw(100e6, 6e9);
    const machine any{[=](double, std::uint64_t offset) { return offset < turn ? before : after; },
                      always(draw(100e6, 3e9)), draw(0.5e9, 4e9)};
    EXPECT_GE(to_cached(any, 2 * GiB), 0.7) << before << ' ' << after << " at " << turn;
  }
}

/// Seconds of a file of 1 GiB that begins with `known`, and bytes that it wrote past the page cache.
outcome_of_file write_known(const machine& on, const measured_ways& known, std::uint64_t size = GiB) {
  return simulated_file{on, known}.write(size);
}

TEST(way_rule, goes_at_4_MiB_the_way_that_is_known_to_be_fastest) {
  const machine device_first{always(1600e6), always(2400e6), 5e9};
  EXPECT_GE(write_known(device_first, ways_of(device_first), GiB / 4).past_bytes, GiB / 4 - 5 * MiB);
  const machine behind_first{always(450e6), always(400e6), 5e9};
  EXPECT_GE(write_known(behind_first, ways_of(behind_first)).behind_bytes, GiB - 64 * MiB);
  EXPECT_EQ(write_known(quick, ways_of(quick), 64 * MiB).changes.size(), 0U) << "keeping the pages is the fastest";
}

TEST(way_rule, stays_where_the_file_itself_is_faster_than_was_known) {
  measured_ways known = ways_of(cold);
  known.behind = {};
  EXPECT_EQ(write_known(quick, known, 64 * MiB).past_bytes, 0U);
}

TEST(way_rule, loses_little_by_what_is_known_and_right) {
  std::mt19937_64 random{test::sample_seed()};
  std::vector<double> ratios;
  const std::size_t count = test::sample_size(1000, 300);
  while (ratios.size() < count) {
    const rate_trace trace = draw_trace(random);
    const machine on{always(trace.on.cached(0, 0)), always(trace.on.device(0, 0)), trace.on.program};
    const double unknown = write_known(on, {}, trace.size).seconds;
    const double known = write_known(on, ways_of(on), trace.size).seconds;
    EXPECT_LE(known, 1.05 * unknown + 0.05) << "machine " << ratios.size();
    ratios.push_back(known / unknown);
  }
  std::ranges::sort(ratios);
  std::cout << "known : unknown, median " << ratios[count / 2] << ", 95 % below " << ratios[count * 95 / 100] << '\n';
  EXPECT_LE(ratios[count / 2], 1);
}

// Each figure is right, five times too high or five times too low.
TEST(way_rule, loses_little_by_what_is_known_and_wrong) {
  std::mt19937_64 random{test::sample_seed()};
  std::vector<double> ratios;
  const std::size_t count = test::sample_size(2000, 300);
  while (ratios.size() < count) {
    const rate_trace trace = draw_trace(random);
    measured_ways known = ways_of(trace.on);
    for (way_figure* each : {&known.kept, &known.behind, &known.past})
      each->seconds_per_byte *= std::array{0.2, 1.0, 5.0}.at(random() % 3);
    const double unknown = write_known(trace.on, {}, trace.size).seconds;
    ratios.push_back((write_known(trace.on, known, trace.size).seconds - 0.05) / unknown);
  }
  std::ranges::sort(ratios);
  std::cout << "wrongly known, less 0.05 s : unknown, median " << ratios[count / 2] << ", 95 % below "
            << ratios[count * 95 / 100] << ", the worst " << ratios.back() << '\n';
  EXPECT_LE(ratios[count * 95 / 100], 1.1) << "usually 0.99 to 1.02";
}

}  // namespace
}  // namespace freshet::detail
