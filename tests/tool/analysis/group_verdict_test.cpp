// Stored trials sorted into groups, and the verdict on each group.
#include "tool/analysis/group_verdict.hpp"
#include "tool/analysis/verdict_text.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/analysis/report_sample.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

using test::make_run;
using test::sample_trials;
using testing::Contains;
using testing::ContainsRegex;
using testing::StartsWith;

// The groups of one bench of the workload `text`, whose trials `change` changes.
report_groups groups_of(
    unsigned rounds, const std::function<void(record& each)>& change = [](record&) {}) {
  report_groups groups{{make_run(1)}};
  sample_trials trials{[&](record&& each) {
    change(each);
    groups.add(std::move(each), 0);
  }};
  trials.add_bench(1, workload_kind::text, io_class::none, rounds);
  return groups;
}

group_verdict verdict_of(const report_groups& groups, std::size_t group = 0) {
  return make_group_verdict(groups.all().at(group));
}

TEST(report_groups, tells_two_file_systems_of_one_type_apart) {
  std::vector<run> runs{make_run(1), make_run(2)};
  runs[1].env.file_system_key = "ext4:0002";
  runs[1].env.directory = "/other";
  const report_groups groups{runs};
  EXPECT_EQ(groups.places()[0].name, "ext4 on vda (/data/ext4)");
  EXPECT_EQ(groups.places()[1].name, "ext4 on vda (/other)");
}

TEST(report_groups, do_not_compare_different_tasks) {
  report_groups groups{{make_run(1)}};
  sample_trials trials{[&](record&& each) {
    record over = each;
    over.figures.plan.target = target_kind::overwrite;
    record unordered = each;
    unordered.figures.plan.ordered = false;
    record alone = each;
    alone.method = "null";
    record slow = each;
    slow.figures.met_slow_memory = true;
    for (record* one : {&each, &over, &unordered, &alone, &slow}) groups.add(std::move(*one), 0);
  }};
  trials.add_bench(1, workload_kind::text, io_class::none, 1);
  ASSERT_EQ(groups.all().size(), 5U);
  EXPECT_EQ(groups.all()[4].variant, "new memory slow");
  EXPECT_EQ(groups.all()[0].variant, "");
  EXPECT_EQ(groups.all()[1].variant, "written over");
  EXPECT_EQ(groups.all()[2].variant, "any order");
  EXPECT_EQ(groups.all()[3].variant, "the generator alone");
  EXPECT_FALSE(groups.all()[3].is_ranked());
  EXPECT_EQ(verdict_of(groups, 3).state, "alone");
  EXPECT_TRUE(verdict_of(groups, 3).ranking.empty());
}

// Of a ranking, the heading has the state of memory; stores and exports name it with each plan.
TEST(report_groups, name_memory_in_the_task_and_not_in_its_plans) {
  report_groups groups{{test::make_run()}};
  const trial_plan left{.method = "buffered", .memory = memory_state::left};
  record stored = test::keep({test::make_trial(left, 0.1)}).front();
  EXPECT_EQ(stored.label, "buffered, memory left");
  groups.add(std::move(stored), 0);
  EXPECT_EQ(groups.all().at(0).rows.at(0).label, "buffered");
  EXPECT_EQ(groups.all().at(0).variant, "memory left");
}

TEST(group_verdict, needs_a_valid_trial) {
  const group_verdict verdict = verdict_of(groups_of(1, [](record& each) {
    each.figures.validity = trial_validity::invalid;
    each.figures.reasons = {"the page cache had it"};
  }));
  EXPECT_EQ(verdict.state, "none");
  EXPECT_EQ(verdict.remarks,
            std::vector<std::string>{"24 of 24 trials were left out as invalid: 24 × the page cache had it."});
}

TEST(group_verdict, combines_reasons_that_differ_only_in_figures) {
  const group_verdict verdict = verdict_of(groups_of(1, [](record& each) {
    each.figures.validity = each.id % 2 == 0 ? trial_validity::invalid : trial_validity::valid;
    each.figures.reasons = {"others wrote " + std::to_string(each.id) + " bytes: ninja, as"};
  }));
  EXPECT_EQ(verdict.remarks.back(),
            "12 of 24 trials were left out as invalid: 12 × for example “others wrote 10 bytes”.");
}

TEST(group_verdict, lets_a_plan_win_that_lost_rounds_to_invalid_trials) {
  const report_groups groups = groups_of(6, [](record& each) {
    const bool fastest = each.label == "uring 4 MiB";
    each.figures.validity = fastest && each.figures.round < 2 ? trial_validity::invalid : trial_validity::valid;
    if (fastest) each.figures.seconds_to_close /= 3;
  });
  const group_verdict verdict = verdict_of(groups);
  EXPECT_EQ(groups.all()[0].rows[verdict.ranking.front().row].label, "uring 4 MiB");
}

TEST(group_verdict, does_not_leave_out_a_faster_way_that_took_part_in_fewer_rounds) {
  const report_groups groups = groups_of(7, [](record& each) {
    if (each.label != "uring 4 MiB") return;
    each.figures.seconds_to_close /= 10;
    if (each.figures.round >= 5) each.label = "uring 4 MiB, later";  // a way that has two trials
  });
  const group_verdict verdict = verdict_of(groups);
  EXPECT_THAT(groups.all()[0].rows[verdict.ranking.front().row].label, StartsWith("uring 4 MiB"));
  EXPECT_FALSE(verdict.is_sure);
}

TEST(group_verdict, leaves_out_a_way_of_few_rounds_that_was_slower_in_each) {
  const report_groups groups = groups_of(7, [](record& each) {
    if (each.label == "uring 4 MiB" && each.figures.round < 5) each.label = "slow";
    if (each.label == "slow") each.figures.seconds_to_close *= 10;
  });
  const group_verdict verdict = verdict_of(groups);
  const auto slow = std::ranges::find_if(
      verdict.ranking, [&](const ranked_row& each) { return groups.all()[0].rows[each.row].label == "slow"; });
  ASSERT_NE(slow, verdict.ranking.end());
  EXPECT_NE(slow->place, rank_class::leading);
}

// Whatever is stored, nothing that was measured to be faster is left out of the leading group, and an answer is not
// sure where that needs more rounds.
RC_GTEST_PROP(group_verdict, names_nothing_slower_than_what_was_measured, ()) {
  report_group group;
  group.measured_class = io_class::none;
  const auto ways = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < ways; ++i) {
    candidate way{.plan = {.method = std::array{"buffered", "direct", "uring", "mmap", "writebehind"}.at(i)}};
    const auto trials = *rc::gen::inRange<unsigned>(1, 10);
    const auto first = *rc::gen::inRange<unsigned>(0, 4);
    const auto usual = *rc::gen::inRange<int>(1, 20);
    for (unsigned round = first; round < first + trials; ++round) {
      trial_result trial = test::make_trial(way.plan, usual * *rc::gen::inRange<int>(80, 160) / 100.0, round);
      trial.validity = *rc::gen::weightedElement<trial_validity>(
          {{8, trial_validity::valid}, {2, trial_validity::disturbed}, {1, trial_validity::invalid}});
      way.trials.push_back(std::move(trial));
    }
    group.rows.push_back({.method = way.plan.method, .label = way.plan.method, .plan = {}});
    group.candidates.push_back(std::move(way));
  }
  const group_verdict verdict = make_group_verdict(group);
  if (verdict.ranking.empty()) return;
  const auto is_measured = [](const candidate& way) { return count_usable(way) > 0; };
  RC_ASSERT(std::ranges::count_if(group.candidates, is_measured) == std::ssize(verdict.ranking));
  const auto rate = [&](const ranked_row& each) { return ranking_rate(group.candidates[each.row]); };
  for (const ranked_row& each : verdict.ranking) {
    if (each.place == rank_class::slower || each.place == rank_class::not_in_final)
      RC_ASSERT(rate(each) <= rate(verdict.ranking.front()));
    if (each.place == rank_class::leading && usable_samples(group.candidates[each.row]).size() < rounds_to_decide)
      RC_ASSERT(!verdict.is_sure);
  }
}

TEST(group_verdict, estimates_the_rounds_that_would_decide) {
  const group_verdict verdict = verdict_of(groups_of(2));
  ASSERT_EQ(verdict.state, "undecided");
  EXPECT_FALSE(verdict.is_sure);
  EXPECT_THAT(verdict.remarks, Contains(ContainsRegex("About [0-9]+ more rounds? would decide")));
}

TEST(group_verdict, reports_effects_of_the_order_of_trials) {
  const report_groups groups =
      groups_of(6, [](record& each) { each.figures.seconds_to_close *= each.id > 48 ? 2 : 1; });
  const class_verdict ranked = rank_candidates(io_class::none, make_candidates(groups.all().front()));
  ASSERT_TRUE(ranked.order.drift.noticed());
  for (const std::string& effect : describe(ranked.order))
    EXPECT_THAT(verdict_of(groups).remarks, Contains("The order of the trials mattered: " + effect + "."));
}

TEST(describe_rounds_needed, does_not_promise_what_takes_too_long) {
  EXPECT_EQ(describe_rounds_needed({}), "");
  EXPECT_EQ(describe_rounds_needed(1), "about 1 more round would decide");
  EXPECT_EQ(describe_rounds_needed(14), "about 14 more rounds would decide");
  EXPECT_EQ(describe_rounds_needed(3942), "more rounds would hardly decide, because the trials vary so much");
}

}  // namespace
}  // namespace freshet::tool
