// The decisions of adaptive readers, over simulated machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "src/method/way_rule.hpp"
#include "tests/support/soak.hpp"

namespace freshet::detail {
namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

/// Bytes per second, by the seconds since the file was opened.
using rate = std::function<double(double now)>;

rate always(double bytes_per_second) {
  return [=](double) { return bytes_per_second; };
}

struct machine {
  rate cached;  ///< of the page cache, for what it does not hold
  rate direct;
  double consumer = 1e12;
  /// Bytes that the kernel reads ahead, in a file that begins so at first fewer: the program waits for all of them, and
  /// then for none.
  std::uint64_t read_ahead = MiB / 4;
};

struct outcome_of_file {
  double seconds = 0;
  std::vector<change_reason> changes = {};
  bool ended_direct = false;
};

/// Reads a file that is not in the page cache as the method does, by simulated time.
outcome_of_file read_file(const machine& on, std::uint64_t size, way first = way::kept,
                          const measured_ways& known = {}) {
  way_rule rule{{.first = first, .probed = way::past, .size = size}};
  outcome_of_file result;
  double now = 0;
  way in_use = known == measured_ways{} ? first : rule.know(known);
  std::uint64_t cached = 0;  // the bytes before are in the page cache, or were read
  std::uint64_t ahead = MiB / 8;
  for (std::uint64_t offset = 0; offset < size;) {
    const bool is_direct = in_use == way::past;
    const std::uint64_t block = is_direct ? 2 * MiB : MiB / 4;
    const auto bytes = static_cast<double>(block);
    const double own_time = bytes / on.consumer;
    ahead = is_direct ? on.read_ahead : offset < cached ? ahead : std::min(2 * ahead, on.read_ahead);
    const std::uint64_t fetched = is_direct ? block : offset < cached ? 0 : ahead;
    const double moved = static_cast<double>(fetched) / (is_direct ? on.direct : on.cached)(now);
    cached = std::max(cached, offset + fetched);
    // With two blocks, the device works while the program does.
    const double waited = is_direct ? std::max(0.0, moved - own_time) : moved;
    now += own_time + waited;
    offset += block;
    const way next = rule.count(block, waited, now);
    if (std::exchange(in_use, next) != next) result.changes.push_back(rule.reason());
  }
  result.seconds = now;
  result.ended_direct = in_use == way::past;
  return result;
}

double best_seconds(const machine& on, std::uint64_t size) {
  const auto bytes = static_cast<double>(size);
  const double cached = bytes / on.cached(0) + bytes / on.consumer;
  return std::min(cached, std::max(bytes / on.direct(0), bytes / on.consumer));
}

TEST(rule_of_reading, reads_directly_where_that_is_faster) {
  for (const double cached : {3e8, 1e9, 2e9}) {
    const machine on{always(cached), always(2.8e9)};
    const auto file = read_file(on, GiB);
    EXPECT_EQ(file.changes.front(), change_reason::probe);
    EXPECT_TRUE(file.ended_direct);
    EXPECT_LT(file.seconds, 1.06 * best_seconds(on, GiB)) << cached;
  }
}

TEST(rule_of_reading, returns_where_direct_reads_are_no_faster) {
  for (const double direct : {2e8, 1e9, 1.9e9}) {
    const machine on{always(2e9), always(direct)};
    const auto file = read_file(on, GiB);
    EXPECT_FALSE(file.ended_direct) << direct;
    EXPECT_LT(file.seconds, 1.08 * best_seconds(on, GiB)) << direct;
  }
}

TEST(rule_of_reading, tries_nothing_where_the_program_hardly_waits) {
  const machine on{always(2e9), always(4e9), 2e7};
  EXPECT_TRUE(read_file(on, 256 * MiB).changes.empty());
}

TEST(rule_of_reading, stays_with_what_it_begins_by_only_where_that_is_faster) {
  EXPECT_TRUE(read_file({always(1e9), always(3e9)}, 4 * GiB, way::past).ended_direct);
  EXPECT_FALSE(read_file({always(3e9), always(5e8)}, 4 * GiB, way::past).ended_direct);
}

TEST(rule_of_reading, follows_a_machine_that_changes) {
  // Memory that was just freed is used up after a second.
  const machine on{[](double now) { return now < 1 ? 3e9 : 3e8; }, always(1e9)};
  const auto file = read_file(on, 8 * GiB);
  EXPECT_TRUE(file.ended_direct);
  EXPECT_LT(file.seconds, 1.2 * (1 + (8.0 * GiB - 3e9) / 1e9));
}

TEST(rule_of_reading, does_not_flap_where_whichever_way_it_chooses_slows_down) {
  int turns = 0;
  const auto worse = [&turns](double) { return ++turns % 64 < 32 ? 2e9 : 2e8; };
  const auto file = read_file({worse, worse}, 4 * GiB);
  EXPECT_LE(static_cast<double>(file.changes.size()), 4 * (6 + file.seconds));
}

measured_ways known_rates(double cached, double direct) {
  return {.kept = {.seconds_per_byte = 1 / cached, .bytes = GiB},
          .past = {.seconds_per_byte = 1 / direct, .bytes = GiB}};
}

// A sample then shows nothing of what the page cache takes: most have no wait, and a few a long one.
TEST(rule_of_reading, is_not_deceived_by_what_the_kernel_reads_ahead) {
  for (const std::uint64_t read_ahead : {2 * MiB, 8 * MiB, 16 * MiB})
    for (const way first : {way::kept, way::past}) {
      const machine on{always(1.7e9), always(6e9), 1e12, read_ahead};
      for (const measured_ways& known : {measured_ways{}, known_rates(1.7e9, 6e9)}) {
        const auto file = read_file(on, GiB, first, known);
        EXPECT_TRUE(file.ended_direct) << read_ahead;
        EXPECT_LT(file.seconds, 1.1 * best_seconds(on, GiB)) << read_ahead;
      }
    }
}

TEST(rule_of_reading, finds_out_that_what_was_known_is_wrong) {
  for (const std::uint64_t read_ahead : {MiB / 4, 16 * MiB}) {
    const machine quick_device{always(1e9), always(5e9), 1e12, read_ahead};
    EXPECT_LT(read_file(quick_device, 4 * GiB, way::kept, known_rates(5e9, 1e9)).seconds,
              1.1 * best_seconds(quick_device, 4 * GiB) + 0.05);
    const machine slow_device{always(5e9), always(1e9), 1e12, read_ahead};
    EXPECT_LT(read_file(slow_device, 4 * GiB, way::past, known_rates(1e9, 5e9)).seconds,
              1.1 * best_seconds(slow_device, 4 * GiB) + 0.3)
        << "the first probe comes after 0.2 s";
  }
}

// What came from memory between, and how long that took, says nothing.
TEST(rule_of_reading, leaves_out_what_was_passed) {
  way_rule rule{{.probed = way::past, .size = GiB}};
  way in_use = way::kept;
  double now = 0;
  for (std::uint64_t offset = 0; offset < GiB && in_use == way::kept; offset += MiB) {
    rule.pass(now += 1);
    in_use = rule.count(MiB, 1e-3, now += 1e-3);
  }
  EXPECT_EQ(in_use, way::past) << "the program waits all the time";
}

// Machines drawn at random, by a seed that is printed.
TEST(rule_of_reading, costs_little_beside_the_better_way_on_any_machine) {
  std::mt19937_64 random{test::sample_seed()};
  const auto between = [&](double least, double most) {
    return std::exp(std::uniform_real_distribution{std::log(least), std::log(most)}(random));
  };
  std::vector<double> beside_best;
  for (int i = 0; i < 400; ++i) {
    const machine on{always(between(1e8, 5e9)), always(between(1e8, 5e9)), between(1e8, 1e11)};
    const double alone = static_cast<double>(GiB) / on.cached(0) + static_cast<double>(GiB) / on.consumer;
    const auto file = read_file(on, GiB);
    beside_best.push_back(file.seconds / best_seconds(on, GiB));
    EXPECT_LT(file.seconds, 1.12 * alone) << "cached " << on.cached(0) << ", direct " << on.direct(0) << ", consumer "
                                          << on.consumer << ", seed " << test::sample_seed();
  }
  std::ranges::sort(beside_best);
  RecordProperty("median", std::to_string(beside_best[200]));
  RecordProperty("nine_in_ten", std::to_string(beside_best[360]));
  RecordProperty("most", std::to_string(beside_best[399]));
  EXPECT_LT(beside_best[200], 1.05) << "seed " << test::sample_seed();
  EXPECT_LT(beside_best[360], 1.15) << "seed " << test::sample_seed();
}

}  // namespace
}  // namespace freshet::detail
