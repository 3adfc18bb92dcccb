// What a measurement takes of the machine's memory, and what it learns of its state.
#include "tool/measure/memory.hpp"

#include <gtest/gtest.h>

#include "tool/base/clock.hpp"

namespace freshet::tool {
namespace {

TEST(memory_in_use, holds_no_more_than_an_eighth_of_the_memory_for_no_longer_than_two_seconds) {
  const std::uint64_t available = available_memory();
  memory_in_use memory{100};
  const stopwatch watch;
  memory.take_backed_memory();
  EXPECT_LE(memory.bytes(), available / 8);
  EXPECT_LT(watch.seconds(), 60) << "two seconds, and what a busy machine takes for one step";
  memory.release();
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(memory_in_use, takes_nothing_without_patience) {
  memory_in_use memory{0};
  memory.take_backed_memory();
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST(held_pages, stop_at_the_limit) {
  constexpr std::uint64_t limit = std::uint64_t{20} << 20;
  held_pages pages{std::size_t{1} << 20};
  if (!pages.take_until_slow(10, limit)) {
    EXPECT_GT(pages.bytes() + (std::size_t{8} << 20), limit);
  }
  EXPECT_LE(pages.bytes(), limit);
}

TEST(first_touch, has_a_rate) {
  const first_touch touched;
  ASSERT_TRUE(touched.rate());
  EXPECT_GT(*touched.rate(), 1);
}

}  // namespace
}  // namespace freshet::tool
