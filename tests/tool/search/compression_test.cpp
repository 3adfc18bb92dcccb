#include "tool/search/compression.hpp"

#include <gtest/gtest.h>

namespace freshet::tool {
namespace {

level_trials trials(int level, double ratio, double processors, double stored) {
  return {.level = level, .ratio = ratio, .compressed = {processors}, .stored = {stored}};
}

TEST(compression, names_the_level_from_which_on_the_processors_are_the_limit) {
  const std::vector levels{trials(-5, 1.5, 2000, 1400), trials(-1, 2, 1900, 1700), trials(1, 2.5, 1500, 1450),
                           trials(3, 3, 800, 790)};
  const auto verdict = judge_levels(std::vector{900.0, 1000.0, 5000.0}, levels);
  EXPECT_EQ(verdict.plain, 1000);
  ASSERT_EQ(verdict.levels.size(), 4U);
  EXPECT_EQ(verdict.levels[1].disk, 2000);
  EXPECT_FALSE(verdict.levels[0].is_limited_by_processors());
  EXPECT_EQ(verdict.limited_from, -1);
  EXPECT_EQ(verdict.fastest.level, -1);
}

TEST(compression, needs_every_higher_level_to_be_limited_by_the_processors) {
  const std::vector levels{trials(1, 2, 1500, 1400), trials(3, 2, 2500, 1900), trials(5, 2, 1000, 990)};
  EXPECT_EQ(judge_levels(std::vector{1000.0}, levels).limited_from, 5);
}

TEST(compression, names_no_level_on_a_slow_disk) {
  EXPECT_EQ(judge_levels(std::vector{100.0}, std::vector{trials(1, 2, 1500, 200)}).limited_from, std::nullopt);
}

}  // namespace
}  // namespace freshet::tool
