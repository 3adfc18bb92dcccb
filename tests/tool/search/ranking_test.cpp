#include "tool/search/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using test::make_trial;

std::string winner_of(const std::vector<candidate>& candidates) {
  const std::size_t best = find_leader(candidates);
  return best == candidates.size() ? "" : candidates[best].plan.method;
}

TEST(find_leader, finds_the_fastest) {
  EXPECT_EQ(winner_of({entry("direct", {2, 2, 2}), entry("uring", {1, 1, 1}), entry("buffered", {3, 3, 3})}), "uring");
}

TEST(find_leader, prefers_the_lowest_bill_within_what_matters) {
  const std::vector<candidate> candidates{entry("buffered", {1, 1, 1}, {.cpu = 0.9}),
                                          entry("uring", {1.04, 1.04, 1.04}, {.cpu = 0.1}),
                                          entry("direct", {1.2, 1.2, 1.2}, {.cpu = 0.02})};
  EXPECT_EQ(winner_of(candidates), "uring");
  EXPECT_EQ(candidates[find_leader(candidates, 0.02)].plan.method, "buffered");
}

TEST(find_leader, breaks_a_tie_by_simplicity) {
  const std::vector<double> same{1, 1, 1, 1, 1, 1};
  EXPECT_EQ(winner_of({entry("uring", same), entry("libaio", same), entry("dontcache", same), entry("direct", same)}),
            "dontcache");
}

TEST(find_leader, takes_the_fastest_of_the_simplest_method) {
  const std::vector<candidate> blocks{entry(trial_plan{.method = "uring", .block = 1 << 20}, {1.03, 1.03, 1.03}),
                                      entry(trial_plan{.method = "uring", .block = 1 << 22}, {1, 1, 1})};
  EXPECT_EQ(find_leader(blocks), 1U);
}

TEST(find_leader, takes_the_usual_block_unless_another_is_faster_by_what_matters) {
  const auto leader = [](double seconds) {
    const trial_plan usual{.method = "buffered", .block = std::size_t{256} << 10, .depth = 1};
    const trial_plan larger{.method = "buffered", .block = std::size_t{1} << 20, .depth = 1};
    EXPECT_TRUE(is_usual(usual));
    return find_leader(std::vector{entry(larger, {1, 1, 1}), entry(usual, {seconds, seconds, seconds})});
  };
  EXPECT_EQ(leader(1.04), 1U);
  EXPECT_EQ(leader(1.06), 0U);
}

TEST(find_leader, does_not_prefer_among_programs_that_are_not_methods) {
  EXPECT_EQ(winner_of({entry("java-nio", {1, 1, 1}), entry("freshet-writer", {1.01, 1.01, 1.01})}), "java-nio");
  EXPECT_EQ(winner_of({entry("java-nio", {1.01, 1.01, 1.01}), entry("freshet-writer", {1, 1, 1})}), "freshet-writer");
}

TEST(find_leader, ignores_a_single_lucky_trial) {
  EXPECT_EQ(winner_of({entry("direct", {1, 1, 1}), entry("uring", {0.5})}), "direct");
}

TEST(find_leader, finds_none_without_valid_trials) {
  candidate broken = entry("uring", {1, 1});
  for (trial_result& trial : broken.trials) trial.validity = trial_validity::invalid;
  EXPECT_EQ(winner_of({broken}), "");
  EXPECT_EQ(winner_of({}), "");
}

TEST(find_leader, follows_the_order_of_methods_where_all_else_is_equal) {
  const std::vector<std::string> order{"buffered", "writebehind", "dontcache", "direct", "libaio", "uring"};
  const std::vector<double> same{1, 1, 1};
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_EQ(winner_of({entry(order[i], same), entry(order[i - 1], same)}), order[i - 1]);
}

TEST(ranking_seconds, depend_on_the_class) {
  for (const io_class each : all_classes) {
    candidate entry{.plan = {.method = "buffered", .measured_class = each}};
    trial_result trial = make_trial(entry.plan, 1, 0);
    trial.seconds_to_disk = 3;
    entry.trials = {trial, trial};
    EXPECT_DOUBLE_EQ(seconds_per_gb(entry), each == io_class::at_close || each == io_class::each_write ? 3 : 1);
  }
}

TEST(rank_candidates, leaves_out_invalid_trials_with_reasons) {
  candidate cheat = entry("buffered", {1, 1, 0.01, 1, 0.01, 1, 1, 1});
  for (trial_result& trial : cheat.trials) {
    if (trial.seconds_to_close > 0.5) continue;
    trial.validity = trial_validity::invalid;
    trial.reasons = {"fewer device bytes than claimed"};
  }
  const std::vector<candidate> candidates{cheat, entry("uring", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5})};
  const class_verdict verdict = rank_candidates(io_class::none, candidates);
  ASSERT_EQ(verdict.ranking.size(), 2U);
  EXPECT_EQ(verdict.ranking[0].plan.method, "uring");
  EXPECT_EQ(verdict.ranking[1].rate.count, 6U);
  EXPECT_DOUBLE_EQ(verdict.ranking[1].to_leader.ratio.value, 2);
  EXPECT_EQ(verdict.left_out.at("fewer device bytes than claimed"), 2U);
  EXPECT_EQ(verdict.state, verdict_state::decided);
}

TEST(rank_candidates, uses_trials_of_unknown_validity) {
  candidate unseen = entry("buffered", {1, 1});
  for (trial_result& trial : unseen.trials) trial.validity = trial_validity::unknown;
  const class_verdict verdict = rank_candidates(io_class::at_close, std::vector{unseen});
  ASSERT_EQ(verdict.ranking.size(), 1U);
  EXPECT_TRUE(verdict.left_out.empty());
}

TEST(rank_candidates, uses_disturbed_trials_only_where_others_are_too_few) {
  const auto count_used = [](std::size_t undisturbed) {
    candidate some = entry("buffered", std::vector<double>(undisturbed + 2, 1.0));
    for (trial_result& trial : std::span{some.trials}.last(2)) trial.validity = trial_validity::disturbed;
    const candidate others = entry("direct", std::vector<double>(undisturbed + 2, 3.0));
    const class_verdict verdict = rank_candidates(io_class::none, std::vector{some, others});
    EXPECT_TRUE(verdict.left_out.empty());
    EXPECT_EQ(verdict.ranking[1].to_leader.ratio.count, verdict.ranking[0].rate.count) << "by rounds, too";
    return verdict.ranking[0].rate.count;
  };
  EXPECT_EQ(count_used(rounds_to_decide), rounds_to_decide);
  EXPECT_EQ(count_used(rounds_to_decide - 1), rounds_to_decide + 1);
}

TEST(rank_candidates, reports_the_state) {
  const std::vector<double> same(12, 1.0);
  const auto state = [](const std::vector<candidate>& candidates) {
    return rank_candidates(io_class::none, candidates).state;
  };
  const candidate far = entry("buffered", std::vector<double>(12, 3.0));
  const std::vector<double> varied{1.3, 0.8, 1.3, 0.8, 1, 1, 1.3, 0.8, 1.3, 0.8, 1, 1};
  EXPECT_EQ(state({entry("direct", same), far}), verdict_state::decided);
  EXPECT_EQ(state({entry("direct", same), entry("uring", same), far}), verdict_state::decided);
  EXPECT_EQ(state({entry("direct", same), entry("uring", varied), far}), verdict_state::undecided);
  EXPECT_EQ(state({entry("direct", same), entry("uring", varied)}), verdict_state::failed) << "nothing was told apart";
  EXPECT_EQ(state({entry("direct", std::vector<double>(80, 1.0)), entry("uring", std::vector<double>(80, 1.0))}),
            verdict_state::alike);
  EXPECT_EQ(state({}), verdict_state::failed);
}

TEST(rank_candidates, says_what_the_pick_was_chosen_by) {
  const std::vector<double> same(12, 1.0);
  const candidate far = entry("buffered", std::vector<double>(12, 3.0), {.cpu = 0.01});
  const auto reason = [&](const candidate& first, const candidate& second) {
    return rank_candidates(io_class::none, std::vector{first, second, far}).reason;
  };
  EXPECT_EQ(reason(entry("direct", same, {.cpu = 0.2}), entry("uring", std::vector<double>(12, 2.0))),
            decided_by::speed);
  EXPECT_EQ(reason(entry("direct", same, {.cpu = 0.2}), entry("uring", same, {.cpu = 0.9})), decided_by::cpu_cost);
  EXPECT_EQ(reason(entry("direct", same, {.cpu = 0.2}), entry("uring", same, {.cpu = 0.2})), decided_by::simplicity);
}

TEST(rank_candidates, bounds_what_the_pick_may_cost) {
  const std::vector<double> same(12, 1.0);
  const candidate uring = entry("uring", same, {.cpu = 0.1});
  const candidate far = entry("buffered", std::vector<double>(12, 3.0));
  EXPECT_EQ(rank_candidates(io_class::none, {{uring, far}}).at_worst, 1);
  // A plan with a higher cost that may be faster counts.
  const candidate rival = entry("direct", std::vector<double>(12, 1.02), {.cpu = 0.5});
  const class_verdict open = rank_candidates(io_class::none, {{uring, rival, far}});
  ASSERT_EQ(open.ranking[1].place, rank_class::leading);
  EXPECT_DOUBLE_EQ(open.at_worst.value(), 1 / open.ranking[1].to_leader.ratio.range.low);
  EXPECT_GT(*open.at_worst, 1);
  // Whether it is faster is not known after few rounds.
  EXPECT_FALSE(rank_candidates(io_class::none, {{uring, entry("direct", {1, 1, 1}, {.cpu = 0.5}), far}}).at_worst);
}

TEST(rank_candidates, puts_those_apart_that_left_early) {
  const std::vector<double> same(12, 1.0);
  candidate gone = entry("libaio", {1.1, 1.1});
  gone.dropped = "not among the best after the first rounds";
  const class_verdict verdict =
      rank_candidates(io_class::none, {{entry("direct", same), gone, entry("buffered", std::vector<double>(12, 3.0))}});
  ASSERT_EQ(verdict.ranking.size(), 3U);
  EXPECT_EQ(verdict.ranking[1].place, rank_class::not_in_final);
  EXPECT_EQ(verdict.ranking[2].place, rank_class::slower);
  EXPECT_EQ(verdict.at_worst, 1) << "it took no part in the last rounds";
}

TEST(rank_candidates, calls_slower_what_is_slower_than_any_of_the_leading_group) {
  // The last shares no rounds with the pick, but many with the second.
  candidate other = entry("uring", std::vector<double>(40, 1.0), {.cpu = 0.5});
  candidate slow = entry("libaio", std::vector<double>(40, 2.0));
  slow.trials.erase(slow.trials.begin(), slow.trials.begin() + 20);
  const class_verdict verdict =
      rank_candidates(io_class::none, {{entry("direct", std::vector<double>(20, 1.0), {.cpu = 0.1}), other, slow}});
  EXPECT_EQ(verdict.ranking.front().plan.method, "direct");
  EXPECT_EQ(verdict.ranking.back().place, rank_class::slower);
}

TEST(rank_candidates, ranks_each_state_of_memory_apart) {
  std::vector<candidate> all{entry("buffered", {1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8}),
                             entry("direct", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2})};
  for (candidate& each : all)
    for (trial_result& trial : each.trials) trial.met_slow_memory = trial.round >= 7;
  const class_verdict quick = rank_candidates(io_class::none, all);
  ASSERT_EQ(quick.ranking.size(), 2U);
  EXPECT_EQ(quick.ranking.front().plan.method, "buffered");
  EXPECT_EQ(quick.ranking.front().rate.count, 7U);
  EXPECT_FALSE(quick.met_slow_memory);
  ASSERT_TRUE(quick.other_memory);
  const class_verdict& slow = *quick.other_memory;
  EXPECT_TRUE(slow.met_slow_memory);
  EXPECT_EQ(slow.ranking.front().plan.method, "direct");
  EXPECT_EQ(slow.ranking.front().rate.count, 6U);
}

TEST(rank_candidates, counts_invalid_trials_once) {
  std::vector<candidate> all{entry("buffered", {1, 1, 1}), entry("direct", {2, 2, 2})};
  all[0].trials[0].validity = trial_validity::invalid;
  all[0].trials[0].met_slow_memory = true;
  const class_verdict verdict = rank_candidates(io_class::none, all);
  EXPECT_EQ(verdict.left_out.size(), 1U);
  EXPECT_FALSE(verdict.other_memory);
}

TEST(rank_candidates, picks_a_method_that_stays_and_ranks_what_changes_beside_it) {
  const std::vector<double> fast(8, 1);
  const std::vector<double> slow(8, 2);
  for (const std::vector<double>& seconds : {fast, slow, std::vector<double>(8, 4)}) {
    const class_verdict verdict =
        rank_candidates(io_class::none, {{entry("direct", slow), entry("buffered", std::vector<double>(8, 5)),
                                          entry("adaptive", seconds, {.cpu = 0.1})}});
    EXPECT_EQ(verdict.ranking.front().plan.method, "direct");
    EXPECT_EQ(verdict.state, verdict_state::decided) << "whatever a program without a profile gets";
    EXPECT_EQ(verdict.reason, decided_by::speed);
    ASSERT_NE(verdict.find_by_themselves(), nullptr);
    EXPECT_EQ(verdict.find_by_themselves()->plan.method, "adaptive");
    EXPECT_NEAR(verdict.find_by_themselves()->to_leader.ratio.value, seconds.front() / 2, 1e-9);
  }
}

TEST(rank_candidates, picks_what_changes_where_nothing_else_was_measured) {
  const class_verdict verdict =
      rank_candidates(io_class::none, {{entry(trial_plan{.method = "adaptive"}, {1, 1, 1}),
                                        entry(trial_plan{.method = "adaptive", .block = 1 << 20}, {2, 2, 2})}});
  EXPECT_EQ(verdict.ranking.front().plan.block, 0U);
  EXPECT_EQ(verdict.find_by_themselves(), &verdict.ranking.front());
}

TEST(rank_candidates, keeps_baselines_apart) {
  candidate usual = entry("ofstream", {9, 9});
  usual.is_baseline = true;
  const class_verdict verdict = rank_candidates(io_class::none, {{entry("direct", {1, 1}), usual}});
  EXPECT_EQ(verdict.ranking.size(), 1U);
  ASSERT_EQ(verdict.baselines.size(), 1U);
  EXPECT_DOUBLE_EQ(verdict.baselines[0].to_leader.ratio.value, 9);
  usual.trials = entry("ofstream", {0.1, 0.1}).trials;
  EXPECT_EQ(rank_candidates(io_class::none, {{entry("direct", {1, 1}), usual}}).ranking[0].plan.method, "direct");
}

TEST(estimate_rounds_needed, grows_with_the_square_of_the_excess) {
  const candidate far = entry("buffered", std::vector<double>(12, 9.0));
  const auto needed = [&](const std::vector<double>& ratios) {
    return estimate_rounds_needed(rank_candidates(
        io_class::none, {{entry("direct", std::vector<double>(ratios.size(), 1.0)), entry("uring", ratios), far}}));
  };
  const std::vector<double> varied{1.5, 0.7, 1.5, 0.7, 1, 1, 1.5, 0.7, 1.5, 0.7, 1, 1};
  ASSERT_TRUE(needed(varied));
  EXPECT_GT(*needed(varied), 12U);
  EXPECT_FALSE(needed(std::vector<double>(12, 1.0))) << "it is decided";
  EXPECT_GE(needed({1.01, 1.01, 1.02}), 3U) << "fewer cannot decide";
}

TEST(rank_candidates, reports_outliers_and_still_counts_them) {
  const class_verdict verdict = rank_candidates(
      io_class::none, std::vector{entry("direct", {1, 1.01, 0.99, 1, 4, 1.02}), entry("uring", {2, 2, 2})});
  ASSERT_EQ(verdict.outliers.size(), 1U);
  EXPECT_EQ(verdict.outliers[0].plan.method, "direct");
  EXPECT_EQ(verdict.outliers[0].round, 4U);
  EXPECT_NEAR(verdict.outliers[0].times, 4 / 1.005, 0.01);
  EXPECT_EQ(verdict.ranking[0].rate.count, 6U);
}

TEST(rank_candidates, notices_slow_first_trials) {
  std::vector<candidate> candidates;
  for (const double base : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    std::vector<double> seconds{1.3 * base};
    for (int round = 0; round < 6; ++round) seconds.push_back(base * (1 + 0.001 * (round * 3 % 7)));
    candidates.push_back(entry("method" + std::to_string(candidates.size()), seconds));
  }
  const class_verdict verdict = rank_candidates(io_class::none, candidates);
  EXPECT_TRUE(verdict.order.first.noticed());
  EXPECT_NEAR(verdict.order.first.slower, 0.3, 0.02);
}

TEST(rank_candidates, keeps_the_index_of_each_candidate) {
  const class_verdict verdict =
      rank_candidates(io_class::none, std::vector{entry("direct", {2, 2, 2}), entry("uring", {1, 1, 1})});
  EXPECT_EQ(verdict.ranking[0].index, 1U);
  EXPECT_EQ(verdict.ranking[1].index, 0U);
}

}  // namespace
}  // namespace freshet::tool
