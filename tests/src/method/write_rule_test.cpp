// When an adaptive file goes on by the other way, over simulated machines.
#include "src/method/write_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/src/method/simulated_file.hpp"
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
  EXPECT_EQ(few.size(), 0U);
  EXPECT_EQ(few.median(), 0);
}

TEST(write_rule, keeps_the_pages_while_memory_is_quick) {
  for (const std::uint64_t size : {64 * MiB, GiB, 16 * GiB}) {
    EXPECT_GE(to_cached(quick, size), 0.97) << size / MiB;
    EXPECT_EQ(write_file(quick, size).last, write_mode::keep);
  }
}

TEST(write_rule, gives_the_pages_back_where_other_memory_is_slow) {
  EXPECT_GE(to_cached(cold, GiB), 3);
  EXPECT_GE(to_cached(cold, 64 * MiB), 2);
  EXPECT_NE(write_file(cold, GiB).last, write_mode::keep);
  EXPECT_GE(best_seconds(cold, 16 * GiB) / write_file(cold, 16 * GiB).seconds, 0.9);
}

TEST(write_rule, leaves_memory_that_becomes_slow_at_once) {
  const machine turning{[](double, std::uint64_t offset) { return offset < GiB ? 4000e6 : 450e6; }, always(2000e6)};
  const outcome_of_file written = write_file(turning, 2 * GiB);
  EXPECT_GE(written.behind_bytes + written.direct_bytes, GiB - 16 * MiB) << "the second half";
}

TEST(write_rule, keeps_the_pages_again_once_memory_is_quick) {
  const machine turning{[](double, std::uint64_t offset) { return offset < GiB ? 450e6 : 4000e6; }, always(2000e6)};
  const outcome_of_file written = write_file(turning, 8 * GiB);
  EXPECT_EQ(written.last, write_mode::keep);
  EXPECT_LE(written.behind_bytes, 4 * GiB);
}

// The device is faster than the page cache, but has nothing to do until the file has so many bytes that waiting for it
// would not pay.
TEST(write_rule, has_the_device_catch_up_where_it_is_faster_than_a_quick_page_cache) {
  const machine on{always(3000e6), always(2500e6), 4000e6};
  EXPECT_GE(best_seconds(on, 4 * GiB) / write_file(on, 4 * GiB).seconds, 0.95);
  EXPECT_GE(best_seconds(on, GiB) / write_file(on, GiB).seconds, 0.9);
  EXPECT_GE(write_file(on, GiB).direct_bytes, GiB / 2);
}

TEST(write_rule, loses_nothing_to_a_slow_device) {
  for (const double cached : {4000e6, 800e6}) {
    const machine slow{always(cached), always(150e6)};
    EXPECT_GE(to_cached(slow, 4 * GiB), 0.93) << cached;
  }
}

TEST(write_rule, does_not_look_where_the_program_hardly_waits) {
  machine slow_program = cold;
  slow_program.program = 10e6;
  EXPECT_TRUE(write_file(slow_program, GiB / 4).changes.empty());
}

TEST(write_rule, does_not_look_early_in_a_file_that_is_written_quickly) {
  EXPECT_TRUE(write_file(quick, 64 * MiB).changes.empty());
}

// A rate that is halved for a moment, or one call that is interrupted.
TEST(write_rule, is_not_misled_by_single_calls) {
  const machine interrupted{
      [](double, std::uint64_t offset) { return offset / MiB % 16 == 3 && offset % MiB == 0 ? 40e6 : 4000e6; },
      always(2000e6)};
  EXPECT_GE(to_cached(interrupted, 4 * GiB), 0.95);
}

// What others do to the memory for a moment.
TEST(write_rule, keeps_the_pages_through_short_spells_of_slow_memory) {
  const machine disturbed{[](double, std::uint64_t offset) { return offset / MiB % 64 < 4 ? 1000e6 : 4000e6; },
                          always(2000e6)};
  const outcome_of_file written = write_file(disturbed, 4 * GiB);
  EXPECT_GE(to_cached(disturbed, 4 * GiB), 0.95);
  EXPECT_LE(written.behind_bytes + written.direct_bytes, 400 * MiB);
}

/// A program that forms 4 GB/s, and waits for each byte as long as it is told.
class waiting_program {
 public:
  /// Goes on until the rule changes the way, or for `most` bytes. Returns how many.
  std::uint64_t write(double seconds_per_byte, std::uint64_t most) {
    constexpr std::uint64_t call = 256 * KiB;
    for (std::uint64_t written = call; written <= most; written += call) {
      const double waited = seconds_per_byte * static_cast<double>(call);
      now_ += waited + static_cast<double>(call) / 4e9;
      if (rule_.count(call, waited, now_)) return written;
    }
    return most;
  }
  [[nodiscard]] const change_rule& rule() const { return rule_; }

 private:
  double now_ = 0;
  change_rule rule_{{.usual_cost = behind_cost}};
};

// The memory that both ways need becomes slow in the moment in which it looks.
TEST(change_rule, repeats_a_look_that_began_when_memory_became_slow) {
  constexpr double at_hand = 3e-10;
  constexpr double slow = 5e-9;
  for (const bool stays_slow : {true, false}) {
    waiting_program program;
    program.write(at_hand, GiB);
    ASSERT_TRUE(program.rule().is_steady());
    EXPECT_LE(program.write(slow, GiB), 2 * MiB) << "a look may not cost as much";
    EXPECT_EQ(program.rule().reason(), change_reason::look_failed);
    const std::uint64_t until_next = program.write(stays_slow ? slow : at_hand, 64 * MiB);
    EXPECT_EQ(program.rule().is_steady(), stays_slow);
    if (stays_slow) {
      EXPECT_LE(until_next, MiB);
    }
  }
}

TEST(write_rule, looks_seldom) {
  for (const machine& on : {cold, quick}) {
    const outcome_of_file written = write_file(on, 16 * GiB);
    EXPECT_LE(static_cast<double>(written.changes.size()), 3 * (6 + written.seconds));
  }
}

TEST(write_rule, takes_calls_of_any_size) {
  for (const std::uint64_t call : {4 * KiB, 64 * KiB, 3 * MiB, 64 * MiB}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(write_file(quick, 4 * GiB, call).last, write_mode::keep);
    EXPECT_NE(write_file(cold, 4 * GiB, call).last, write_mode::keep);
  }
}

// Whatever the rates of a machine are, and however they change: what looking costs stays small beside what the page
// cache by itself takes.
TEST(write_rule, costs_little_on_any_machine) {
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

}  // namespace
}  // namespace freshet::detail
