// Two sides of stored trials, compared plan by plan.
#include "tool/analysis/sides.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using test::make_trial;

/// Trials of two runs, each run a side.
class two_sides {
 public:
  void add(std::size_t side, const std::string& method, const std::vector<double>& seconds,
           trial_purpose purpose = trial_purpose::ranking) {
    for (trial_result& trial : entry(method, seconds).trials) add(side, std::move(trial), purpose);
  }
  void add(std::size_t side, trial_result&& trial, trial_purpose purpose = trial_purpose::ranking) {
    record stored = make_record(trial);
    stored.run = static_cast<std::int64_t>(side) + 1;
    set_purpose(stored, purpose);
    matcher_.add(side, std::move(stored), side, metric::ranking);
  }

  [[nodiscard]] matched_plans match() const { return matcher_.match(matching::plans, metric::ranking); }

 private:
  side_matcher matcher_{{test::make_run(1), test::make_run(2)}, {}, false};
};

TEST(side_matcher, corrects_for_the_number_of_plans) {
  // Two samples of five that do not overlap have p = 2/252. Among ten plans, that is not significant.
  two_sides one;
  two_sides ten;
  for (int i = 0; i < 10; ++i) {
    const std::string method = "program " + std::to_string(i);
    for (two_sides* each : {&one, &ten}) {
      if (each == &one && i > 0) continue;
      each->add(0, method, {1, 1.01, 1.02, 1.03, 1.04});
      each->add(1, method, {1.2, 1.21, 1.22, 1.23, 1.24});
    }
  }
  EXPECT_NEAR(one.match().common.at(0).significance, 2.0 / 252, 1e-9);
  const matched_plans many = ten.match();
  ASSERT_EQ(many.common.size(), 10U);
  EXPECT_NEAR(many.common[0].significance, 20.0 / 252, 1e-9);
  EXPECT_EQ(many.trials_needed, 6U);
  EXPECT_LT(many.overall_significance, 0.001) << "all ten together";
  EXPECT_NEAR(many.overall, 1.196, 0.01);
}

TEST(side_matcher, says_over_all_plans_what_it_says_of_the_only_one) {
  two_sides both;
  both.add(0, "uring", {1, 1.4, 0.8, 1.1, 1.2, 0.9});
  both.add(1, "uring", {1.3, 1.1, 1.5, 1.6, 1.2, 1.7});
  const matched_plans plans = both.match();
  EXPECT_DOUBLE_EQ(plans.overall, plans.common.at(0).against.ratio.value);
}

TEST(side_matcher, finds_nothing_in_noise) {
  std::mt19937_64 random{8};
  std::lognormal_distribution<double> noise{0, 0.2};
  int alarms = 0;
  for (int experiment = 0; experiment < 40; ++experiment) {
    two_sides both;
    for (const char* const method : {"a", "b", "c", "d", "e"})
      for (const std::size_t side : {0U, 1U}) {
        std::vector<double> seconds(8);
        for (double& each : seconds) each = noise(random);
        both.add(side, method, seconds);
      }
    for (const matched_plan& plan : both.match().common)
      alarms += plan.against.result == outcome::better || plan.against.result == outcome::worse ? 1 : 0;
  }
  EXPECT_LE(alarms, 10) << "of 200; the range of each is one of 95 %, and beyond 5 % as well";
}

TEST(side_matcher, draws_no_figure_from_what_does_not_rank) {
  two_sides both;
  both.add(0, "uring", {1, 1, 1});
  both.add(1, "uring", {1, 1, 1});
  for (const trial_purpose purpose : {trial_purpose::warm_up, trial_purpose::diagnosis, trial_purpose::program})
    both.add(1, "uring", {9, 9, 9}, purpose);
  trial_result screening = make_trial({.method = "uring"}, 9, 7, {.cpu = 1});
  screening.screening = true;
  both.add(1, std::move(screening));
  const matched_plans plans = both.match();
  ASSERT_EQ(plans.common.size(), 1U);
  EXPECT_EQ(plans.common[0].seconds_per_gb[1], std::vector<double>(3, 1.0));
  EXPECT_EQ(plans.trials[1], 4U) << "the one that screened is of the ranking, too";
}

TEST(side_matcher, compares_trials_that_met_slow_memory_apart) {
  two_sides both;
  for (const std::size_t side : {0U, 1U})
    for (const bool is_slow : {false, true})
      for (unsigned round = 0; round < 3; ++round) {
        trial_result trial = make_trial({.method = "uring"}, is_slow ? 5 : 1, round, {.cpu = 1});
        trial.met_slow_memory = is_slow;
        both.add(side, std::move(trial));
      }
  const matched_plans plans = both.match();
  ASSERT_EQ(plans.common.size(), 2U);
  EXPECT_NE(plans.common[0].variant, plans.common[1].variant);
  for (const matched_plan& plan : plans.common) EXPECT_DOUBLE_EQ(plan.against.ratio.value, 1);
}

}  // namespace
}  // namespace freshet::tool
