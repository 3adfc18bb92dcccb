// The decisions of adaptive files, over simulated machines.
#include "src/method/switching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/src/method/switching_machine.hpp"

namespace freshet::detail {
namespace {

using namespace simulation;

/// The machine of doc/measurements/page-cache-memory.md: memory at rest, and memory just freed.
const machine at_rest{always(300e6), always(1400e6)};
const machine just_freed{always(3000e6), always(1400e6)};

TEST(required_gain, is_the_less_the_more_bytes_show_it) {
  EXPECT_DOUBLE_EQ(required_gain(8 * MiB), 2);
  EXPECT_DOUBLE_EQ(required_gain(64 * MiB), 1.125);
  EXPECT_DOUBLE_EQ(required_gain(GiB), least_gain);
}

TEST(switching, keeps_to_the_page_cache_while_memory_is_fast) {
  const outcome_of_file written = write_file(just_freed, GiB);
  EXPECT_TRUE(written.changes.empty());
  EXPECT_LE(written.seconds, best_fixed(just_freed, GiB) / 0.95);
}

TEST(switching, leaves_the_page_cache_where_memory_is_slow) {
  const outcome_of_file written = write_file(at_rest, GiB);
  ASSERT_FALSE(written.changes.empty());
  EXPECT_EQ(written.last, way::direct);
  EXPECT_LE(written.seconds, best_fixed(at_rest, GiB) / 0.90);
}

TEST(switching, pays_for_files_of_64_mib) {
  EXPECT_LE(write_file(at_rest, 64 * MiB).seconds, fixed_seconds(at_rest, 64 * MiB, way::cached) / 1.3);
  EXPECT_LE(write_file(just_freed, 64 * MiB).seconds, fixed_seconds(just_freed, 64 * MiB, way::cached) / 0.95);
}

TEST(switching, leaves_small_files_alone) {
  const outcome_of_file written = write_file(at_rest, worth_exploring - MiB);
  EXPECT_TRUE(written.changes.empty());
  EXPECT_EQ(written.probed, 0);
}

TEST(switching, does_not_wait_for_a_slow_device) {
  const machine slow{always(300e6), always(150e6)};
  const outcome_of_file written = write_file(slow, GiB);
  EXPECT_TRUE(written.changes.empty());
  EXPECT_LE(written.seconds, best_fixed(slow, GiB) / 0.95);
}

TEST(switching, starts_the_second_file_with_what_the_first_one_found) {
  device_speeds speeds;
  double clock = 0;
  const way found = simulated_file{at_rest, speeds, clock}.write(256 * MiB).last;
  for (int file = 2; file <= 10; ++file) {
    const outcome_of_file written = simulated_file{at_rest, speeds, clock, {.first = found}}.write(256 * MiB);
    EXPECT_LE(written.seconds, best_fixed(at_rest, 256 * MiB) / 0.95) << "file " << file;
  }
}

TEST(switching, does_not_trust_a_beginning_that_found_memory_at_hand) {
  const machine beginning{[](double, std::uint64_t offset) { return offset < 24 * MiB ? 3000e6 : 300e6; },
                          always(1400e6)};
  EXPECT_LE(write_file(beginning, GiB).seconds, best_fixed(beginning, GiB) / 0.85);
}

TEST(switching, does_not_change_because_the_device_halves_its_rate) {
  const machine halving{always(300e6),
                        [](double now, std::uint64_t) { return std::fmod(now, 2) < 1 ? 1400e6 : 700e6; }};
  const outcome_of_file written = write_file(halving, 16 * GiB);
  EXPECT_LE(written.changes.size(), 1U + 2 * 5U) << "one to direct writes, and a look now and then";
  EXPECT_LE(written.seconds, best_fixed(halving, 16 * GiB) / 0.90);
}

TEST(switching, leaves_a_device_whose_latency_jumps) {
  const machine jumping{always(300e6), [](double now, std::uint64_t) { return now < 2 ? 1400e6 : 28e6; }};
  const outcome_of_file written = write_file(jumping, 8 * GiB);
  EXPECT_EQ(written.last, way::cached);
  for (std::size_t i = free_changes; i < written.changes.size(); ++i)
    EXPECT_GE(written.changes[i] - written.changes[i - 1], least_distance);
}

// Whichever way has looked better for a while becomes fifty times as slow.
TEST(switching, does_not_flap_on_a_machine_that_turns_on_it) {
  const auto rate_in = [](std::uint64_t parity) {
    return [parity](double, std::uint64_t offset) { return offset / (96 * MiB) % 2 == parity ? 2000e6 : 40e6; };
  };
  const machine turning{rate_in(0), rate_in(1)};
  const outcome_of_file written = write_file(turning, 16 * GiB);
  EXPECT_GT(written.changes.size(), free_changes) << "nothing was shown";
  for (std::size_t i = free_changes; i < written.changes.size(); ++i)
    EXPECT_GE(written.changes[i] - written.changes[i - 1], least_distance) << "change " << i + 1;
  EXPECT_LE(written.seconds, best_fixed(turning, 16 * GiB) * 1.1);
}

TEST(switching, tries_nothing_while_a_profile_keeps_its_promise) {
  const outcome_of_file kept = write_file(at_rest, 4 * GiB, {.first = way::direct, .expected = 1200e6});
  EXPECT_TRUE(kept.changes.empty());
  EXPECT_EQ(kept.probed, 0);
  const machine freed{always(4000e6), always(500e6)};
  const outcome_of_file broken = write_file(freed, 4 * GiB, {.first = way::direct, .expected = 1200e6});
  EXPECT_EQ(broken.last, way::cached);
}

TEST(switching, tries_nothing_where_the_program_hardly_waits) {
  machine slow_program = at_rest;
  slow_program.generator = 10e6;
  EXPECT_TRUE(write_file(slow_program, GiB / 4).changes.empty());
}

TEST(switching, takes_direct_writes_of_each_write_if_they_are_faster) {
  const machine durable{always(100e6), always(400e6)};
  EXPECT_EQ(write_file(durable, GiB / 4, {.durability = durability::each_write}).last, way::direct);
  const machine other{always(400e6), always(100e6)};
  EXPECT_EQ(write_file(other, GiB / 4, {.durability = durability::each_write}).last, way::cached);
}

// Whatever the rates of a machine are: what looking costs stays within its budget, and mostly pays.
TEST(switching, does_not_judge_a_way_that_few_files_go_yet) {
  // 32 files share the processors, which those in the page cache keep busy: the first direct ones hardly come to write.
  const machine on{.cached = always(400e6 / 32),
                   .direct = [](double, std::uint64_t offset) { return offset <= 32 * MiB ? 2.4e9 : 20e6; },
                   .cached_writers = {.all = 32, .same_way = 32},
                   .direct_writers = {.all = 32, .same_way = 4}};
  const auto file = write_file(on, 192 * MiB);
  EXPECT_EQ(file.changes.size(), 1U);
  EXPECT_EQ(file.last, way::direct);
}

TEST(switching, ends_a_look_that_is_fast_only_because_the_others_go_the_other_way) {
  const machine on{.cached = always(400e6),
                   .direct = always(2.4e9 / 32),
                   .cached_writers = {.all = 32, .same_way = 1},
                   .direct_writers = {.all = 32, .same_way = 32}};
  const auto file = write_file(on, GiB, {.first = way::direct});
  EXPECT_GE(file.changes.size(), 2U);
  EXPECT_GT(file.direct_bytes, 15 * GiB / 16);
}

TEST(switching, costs_little_on_any_machine) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random{seed};
  const auto draw = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>{std::log(low), std::log(high)}(random));
  };
  std::vector<double> to_best;
  for (int i = 0; i < 400; ++i) {
    const machine any{always(draw(100e6, 6e9)), always(draw(100e6, 3e9)), draw(1e9, 1e12)};
    const double seconds = write_file(any, 2 * GiB).seconds;
    EXPECT_LE(seconds, fixed_seconds(any, 2 * GiB, way::cached) * 1.25) << "beside the page cache alone";
    to_best.push_back(seconds / best_fixed(any, 2 * GiB));
  }
  std::ranges::sort(to_best);
  EXPECT_LE(to_best[to_best.size() / 2], 1.04);
  // 93 % are, of very many machines.
  EXPECT_GE(std::ranges::count_if(to_best, [](double times) { return times <= 1.25; }), 348);
}

}  // namespace
}  // namespace freshet::detail
