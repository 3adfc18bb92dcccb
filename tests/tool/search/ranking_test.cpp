#include "tool/search/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace freshet::tool {
namespace {

constexpr std::uint64_t gigabyte = 1'000'000'000;

trial_result make_trial(const trial_plan& plan, unsigned round, double seconds, double cpu) {
  trial_result made;
  made.plan = plan;
  made.round = round;
  made.plan.size = made.bytes = gigabyte;
  made.seconds_to_close = made.seconds_to_disk = seconds;
  made.cpu_whole = cpu;
  return made;
}

/// A plan with a trial of a GB in each round.
candidate entry(const trial_plan& plan, const std::vector<double>& seconds, double cpu = 0.5) {
  candidate made{.plan = plan};
  for (const double one : seconds) {
    made.trials.push_back(make_trial(plan, static_cast<unsigned>(made.trials.size()), one, cpu));
  }
  return made;
}

candidate entry(const std::string& method, const std::vector<double>& seconds, double cpu = 0.5) {
  return entry(trial_plan{.method = method}, seconds, cpu);
}

std::string winner_of(const std::vector<candidate>& field) {
  const std::size_t best = leader(field, 1);
  return best == field.size() ? "" : field[best].plan.method;
}

TEST(Compare, TakesTheRatioOfTheSameRounds) {
  const candidate slow = entry("direct", {2, 4, 8, 16, 32});
  const candidate fast = entry("uring", {1, 2, 4, 8, 16});
  const comparison made = compare(slow, fast, 1);
  EXPECT_TRUE(made.paired);
  EXPECT_DOUBLE_EQ(made.ratio.value, 2);
  EXPECT_EQ(made.ratio.range, (interval{2, 2}));
  EXPECT_EQ(made.result, outcome::worse);
  EXPECT_EQ(compare(fast, slow, 1).result, outcome::better);
}

TEST(Compare, IsATieWithinThreePercentOnly) {
  const candidate base = entry("direct", {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(compare(entry("uring", {1.02, 0.98, 1.02, 1, 1.02, 0.98}), base, 1).result, outcome::tie);
  EXPECT_EQ(compare(entry("uring", {1.05, 0.95, 1.05, 1, 1.05, 0.95}), base, 1).result, outcome::undecided);
  EXPECT_EQ(compare(entry("uring", {1.05, 1.06, 1.05, 1.04, 1.05, 1.05}), base, 1).result, outcome::worse);
}

TEST(Compare, DecidesNothingOnFewRounds) {
  EXPECT_EQ(compare(entry("uring", {1, 1, 1, 1}), entry("direct", {3, 3, 3, 3}), 1).result, outcome::undecided);
}

TEST(Compare, PrefersTheLowerBillWithinTenPercent) {
  const candidate quick = entry("buffered", {1, 1, 1, 1, 1}, 0.9);
  EXPECT_EQ(compare(entry("uring", {1.08, 1.08, 1.08, 1.08, 1.08}, 0.1), quick, 1).result, outcome::better);
  EXPECT_EQ(compare(entry("uring", {1.12, 1.12, 1.12, 1.12, 1.12}, 0.1), quick, 1).result, outcome::worse);
  EXPECT_EQ(compare(entry("uring", {1.05, 1.15, 1.05, 1.15, 1.05}, 0.1), quick, 1).result, outcome::undecided);
}

TEST(Compare, TakesNoBillForLowerThatNoiseExplains) {
  const candidate base = entry("direct", {1, 1, 1, 1, 1}, 0.05);
  EXPECT_EQ(compare(entry("uring", {1.05, 1.05, 1.05, 1.05, 1.05}, 0.04), base, 1).result, outcome::worse);
}

TEST(Compare, HoldsTheSpeedWithTheLargestFilesAgainstTheOthers) {
  candidate first = entry("buffered", {1, 1, 1, 1});
  candidate second = entry("direct", {2, 2, 2, 2});
  for (unsigned round = 4; round < 7; ++round) {
    for (candidate* who : {&first, &second}) {
      trial_result large = make_trial(who->plan, round, who == &first ? 12 : 6, 0.5);
      large.plan.size = large.bytes = 4 * gigabyte;
      who->trials.push_back(large);
    }
  }
  EXPECT_DOUBLE_EQ(compare(first, second, 1).ratio.value, 2);
  EXPECT_DOUBLE_EQ(seconds_per_gb(first), 3);
}

TEST(Leader, IsTheFastest) {
  EXPECT_EQ(winner_of({entry("direct", {2, 2, 2}), entry("uring", {1, 1, 1}), entry("buffered", {3, 3, 3})}), "uring");
}

TEST(Leader, NeedsTheLowestBillOfThoseWithinTenPercent) {
  EXPECT_EQ(winner_of({entry("buffered", {1, 1, 1}, 0.9), entry("uring", {1.08, 1.08, 1.08}, 0.1),
                       entry("direct", {1.2, 1.2, 1.2}, 0.02)}),
            "uring");
}

TEST(Leader, OfATieIsTheSimplest) {
  const std::vector<double> same{1, 1, 1, 1, 1};
  EXPECT_EQ(winner_of({entry("uring", same), entry("libaio", same), entry("dontcache", same), entry("direct", same)}),
            "dontcache");
  const std::vector<candidate> blocks{entry(trial_plan{.method = "uring", .block = 1 << 22, .depth = 2}, same),
                                      entry(trial_plan{.method = "uring", .block = 1 << 20, .depth = 2}, same),
                                      entry(trial_plan{.method = "uring", .block = 1 << 20, .depth = 4}, same)};
  EXPECT_EQ(leader(blocks, 1), 1U);
}

TEST(Leader, WasNotLuckyOnce) { EXPECT_EQ(winner_of({entry("direct", {1, 1, 1}), entry("uring", {0.5})}), "direct"); }

TEST(Leader, IsNobodyWithoutValidTrials) {
  candidate broken = entry("uring", {1, 1});
  for (trial_result& made : broken.trials) made.validity = trial_validity::invalid;
  EXPECT_EQ(winner_of({broken}), "");
  EXPECT_EQ(winner_of({}), "");
}

TEST(Simpler, FollowsTheOrderOfMethods) {
  const std::vector<std::string> order{"buffered", "writebehind", "dontcache", "direct", "libaio", "uring"};
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_TRUE(simpler({.method = order[i - 1]}, {.method = order[i]})) << order[i];
    EXPECT_FALSE(simpler({.method = order[i]}, {.method = order[i - 1]})) << order[i];
  }
  EXPECT_FALSE(simpler({.method = "uring", .reserve = true}, {.method = "uring"}));
}

TEST(RankingSeconds, DependOnTheClass) {
  for (const io_class each : all_classes) {
    candidate who{.plan = {.method = "buffered", .what = each}};
    trial_result made = make_trial(who.plan, 0, 1, 0.5);
    made.seconds_to_disk = 3;
    who.trials = {made, made};
    EXPECT_DOUBLE_EQ(seconds_per_gb(who), each == io_class::at_close || each == io_class::each_write ? 3 : 1);
  }
}

TEST(Judge, LeavesInvalidTrialsOutAndSaysWhy) {
  candidate cheat = entry("buffered", {1, 1, 0.01, 1, 0.01, 1, 1});
  for (trial_result& made : cheat.trials) {
    if (made.seconds_to_close > 0.5) continue;
    made.validity = trial_validity::invalid;
    made.reasons = {"fewer device bytes than claimed"};
  }
  const std::vector<candidate> field{cheat, entry("uring", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5})};
  const verdict found = rank_candidates(io_class::none, field, 1);
  ASSERT_EQ(found.ranking.size(), 2U);
  EXPECT_EQ(found.ranking[0].plan.method, "uring");
  EXPECT_EQ(found.ranking[1].rate.count, 5U);
  EXPECT_DOUBLE_EQ(found.ranking[1].to_winner.ratio.value, 2);
  EXPECT_EQ(found.left_out.at("fewer device bytes than claimed"), 2U);
  EXPECT_EQ(found.state, verdict_state::decided);
}

TEST(Judge, TakesUnknownTrialsForWhatTheyAre) {
  candidate unseen = entry("buffered", {1, 1});
  for (trial_result& made : unseen.trials) made.validity = trial_validity::unknown;
  const verdict found = rank_candidates(io_class::at_close, std::vector{unseen}, 1);
  ASSERT_EQ(found.ranking.size(), 1U);
  EXPECT_TRUE(found.left_out.empty());
}

TEST(Judge, NamesTheState) {
  const std::vector<double> same{1, 1, 1, 1, 1};
  const auto state = [](const std::vector<candidate>& field) {
    return rank_candidates(io_class::none, field, 1).state;
  };
  EXPECT_EQ(state({entry("direct", same), entry("uring", {2, 2, 2, 2, 2})}), verdict_state::decided);
  EXPECT_EQ(state({entry("direct", same), entry("uring", same)}), verdict_state::tie);
  EXPECT_EQ(state({entry("direct", same), entry("uring", {1.2, 0.9, 1.2, 0.9, 1})}), verdict_state::undecided);
  EXPECT_EQ(state({entry("direct", same), entry("uring", {})}), verdict_state::undecided);
  candidate gone = entry("uring", {1.2});
  gone.dropped = "slower";
  EXPECT_EQ(state({entry("direct", same), gone}), verdict_state::decided);
  candidate unlucky = entry("uring", {1.2, 0.9});
  unlucky.dropped = "not among the best";
  EXPECT_EQ(state({entry("direct", same), unlucky}), verdict_state::undecided);
  EXPECT_EQ(state({}), verdict_state::undecided);
}

TEST(Judge, SaysHowMuchTheWinnerMayLose) {
  // The second may be as fast as 0.9 of the winner's time; the third was seen too seldom to say anything.
  const verdict open = rank_candidates(
      io_class::none,
      {{entry("uring", {1, 1, 1, 1, 1}), entry("direct", {0.9, 1.2, 1.2, 1.1, 0.9}), entry("libaio", {0.1, 5})}}, 1);
  EXPECT_EQ(open.ranking.front().plan.method, "uring");
  EXPECT_NEAR(at_worst(open), 1 / 0.9, 1e-9);
  EXPECT_EQ(at_worst(rank_candidates(io_class::none, {{entry("uring", {1, 1, 1, 1, 1})}}, 1)), 1);
}

TEST(Judge, RanksTheDroppedLast) {
  candidate gone = entry("uring", {0.9, 0.9});
  gone.dropped = "for the test";
  const std::vector<candidate> field{gone, entry("direct", {1, 1}), entry("libaio", {1.5, 1.5})};
  const verdict found = rank_candidates(io_class::none, field, 1);
  ASSERT_EQ(found.ranking.size(), 3U);
  EXPECT_EQ(found.ranking[0].plan.method, "direct");
  EXPECT_EQ(found.ranking[1].plan.method, "libaio");
  EXPECT_EQ(found.ranking[2].plan.method, "uring");
}

/// Shared rounds in which the first takes so many times as long as the second.
comparison compared(const std::vector<double>& ratios, double cpu = 0.5) {
  return compare(entry("uring", ratios, cpu), entry("direct", std::vector<double>(ratios.size(), 1.0)), 1);
}

TEST(RoundsToGo, GrowWithTheSquareOfHowMuchTooWideTheIntervalIs) {
  // The interval reaches from 0.9 to 1.14 around 1.02; 0.03 to the nearer limit would need a quarter of that.
  const comparison wide = compared({0.9, 1.02, 1.14, 0.9, 1.02, 1.14});
  ASSERT_EQ(wide.result, outcome::undecided);
  const double reach = std::max((wide.ratio.range.high - 1.02) / 0.01, (1.02 - wide.ratio.range.low) / 0.05);
  const double above = (1.02 - wide.ratio.range.low) / 0.02;
  ASSERT_TRUE(wide.rounds_to_go);
  EXPECT_NEAR(static_cast<double>(*wide.rounds_to_go), 6 * std::min(reach * reach, above * above) - 6, 1);
}

TEST(RoundsToGo, AreForTheNearestLimit) {
  // Worse as soon as the interval ends above 1, which it misses by little.
  const comparison nearly = compared({1.2, 1.18, 0.99, 1.22, 1.2});
  ASSERT_EQ(nearly.result, outcome::undecided);
  ASSERT_TRUE(nearly.rounds_to_go);
  EXPECT_LE(*nearly.rounds_to_go, 2U);
  // Of the lower bill, up to 1.1 it is preferred.
  const comparison lowest_cpu = compared({1.0, 1.02, 1.11, 1.0, 1.01}, 0.1);
  ASSERT_EQ(lowest_cpu.result, outcome::undecided);
  ASSERT_TRUE(lowest_cpu.rounds_to_go);
  EXPECT_LE(*lowest_cpu.rounds_to_go, 3U);
}

TEST(RoundsToGo, AreUnknownOfFewRoundsAndOnTheLimit) {
  EXPECT_FALSE(compared({1.2, 1.3}).rounds_to_go);
  EXPECT_EQ(compared({1.2, 1.21, 1.2}).rounds_to_go, 2U);          // as many as decide at all
  EXPECT_FALSE(compared({1.5, 1.5, 1.5, 1.5, 1.5}).rounds_to_go);  // decided
}

TEST(RoundsToGo, OfAVerdictAreThoseOfTheLastToBeDecided) {
  const std::vector<candidate> field{entry("direct", {1, 1, 1, 1, 1, 1}),
                                     entry("uring", {0.9, 1.02, 1.14, 0.9, 1.02, 1.14}),
                                     entry("buffered", {3, 3, 3, 3, 3, 3})};
  const verdict found = rank_candidates(io_class::none, field, 1);
  const rounds_needed needed = rounds_to_decide_all(found);
  EXPECT_GT(needed.rounds, 0U);
  EXPECT_FALSE(needed.at_least);
  const std::vector<candidate> settled{field[0], field[2]};
  EXPECT_EQ(rounds_to_decide_all(rank_candidates(io_class::none, settled, 1)).rounds, 0U);
  const std::vector<candidate> few{entry("direct", {1, 1}), entry("uring", {1, 1.2})};
  EXPECT_EQ(rounds_to_decide_all(rank_candidates(io_class::none, few, 1)).rounds, 3U);
  EXPECT_TRUE(rounds_to_decide_all(rank_candidates(io_class::none, few, 1)).at_least);
}

TEST(Judge, NamesOutliersAndCountsThemNevertheless) {
  const verdict found = rank_candidates(
      io_class::none, std::vector{entry("direct", {1, 1.01, 0.99, 1, 4, 1.02}), entry("uring", {2, 2, 2})}, 1);
  ASSERT_EQ(found.outliers.size(), 1U);
  EXPECT_EQ(found.outliers[0].plan.method, "direct");
  EXPECT_EQ(found.outliers[0].round, 4U);
  EXPECT_NEAR(found.outliers[0].times, 4 / 1.005, 0.01);
  EXPECT_EQ(found.ranking[0].rate.count, 6U);
}

TEST(Judge, NoticesSlowFirstTrials) {
  std::vector<candidate> field;
  for (const double base : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    std::vector<double> seconds{1.3 * base};
    for (int round = 0; round < 6; ++round) seconds.push_back(base * (1 + 0.001 * (round * 3 % 7)));
    field.push_back(entry("method" + std::to_string(field.size()), seconds));
  }
  const verdict found = rank_candidates(io_class::none, field, 1);
  EXPECT_TRUE(found.order.first.noticed());
  EXPECT_NEAR(found.order.first.slower, 0.3, 0.02);
}

TEST(Judge, SaysWhoStandsWhere) {
  const verdict found =
      rank_candidates(io_class::none, std::vector{entry("direct", {2, 2, 2}), entry("uring", {1, 1, 1})}, 1);
  EXPECT_EQ(found.ranking[0].who, 1U);
  EXPECT_EQ(found.ranking[1].who, 0U);
}

}  // namespace
}  // namespace freshet::tool
