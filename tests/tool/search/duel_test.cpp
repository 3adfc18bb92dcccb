#include "tool/search/duel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "tests/tool/search/candidates.hpp"
#include "tests/tool/search/kept_noise.hpp"

namespace freshet::tool {
namespace {

// A duel on a disk with the noise of kept trials, whose first program takes so many times as long.
duel fight(double slowdown, std::uint64_t seed, std::size_t most_rounds) {
  std::mt19937_64 random{seed};
  const std::span<const int> noise{noise_of_reading};
  std::size_t at = random() % noise.size();
  const auto seconds = [&] { return std::exp(noise[at++ % noise.size()] / 1000.0); };
  std::vector<double> first;
  std::vector<double> second;
  duel result;
  for (std::size_t round = 1; round <= most_rounds && result.state == duel_state::open; ++round) {
    first.push_back(slowdown * seconds());
    second.push_back(seconds());
    if (is_time_to_look(round)) result = judge_duel(entry("uring", first), entry("uring", second), 0.05);
  }
  return result;
}

int count(duel_state state, double slowdown) {
  constexpr int duels = 500;
  constexpr std::size_t rounds = 60;
  int found = 0;
  for (std::uint64_t seed = 0; seed < duels; ++seed) found += fight(slowdown, seed, rounds).state == state ? 1 : 0;
  return 100 * found / duels;
}

TEST(judge_duel, finds_a_slowdown_of_20_percent_and_lets_none_of_it_pass) {
  EXPECT_GE(count(duel_state::worse, 1.2), 90);
  EXPECT_LE(count(duel_state::fine, 1.2), 1);
}

TEST(judge_duel, raises_no_false_alarm) {
  EXPECT_LE(count(duel_state::worse, 1), 1);
  EXPECT_GE(count(duel_state::fine, 1), 90);
}

TEST(judge_duel, leaves_few_rounds_open_and_says_how_many_more_it_takes) {
  const duel few = judge_duel(entry("uring", {2, 2, 2}), entry("uring", {1, 1, 1}), 0.05);
  EXPECT_EQ(few.state, duel_state::open);
  EXPECT_GE(few.rounds_to_go, 3U);
  EXPECT_EQ(judge_duel(entry("uring", {2, 2, 2, 2, 2, 2}), entry("uring", {1, 1, 1, 1, 1, 1}), 0.05).state,
            duel_state::worse);
}

TEST(judge_duel, tolerates_what_it_is_told_to) {
  const std::vector<double> slow(42, 1.2);
  const std::vector<double> base(42, 1.0);
  EXPECT_EQ(judge_duel(entry("uring", slow), entry("uring", base), 0.05).state, duel_state::worse);
  EXPECT_EQ(judge_duel(entry("uring", slow), entry("uring", base), 0.3).state, duel_state::fine);
}

}  // namespace
}  // namespace freshet::tool
