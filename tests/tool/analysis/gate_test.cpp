// Whether a plan got worse: `compare --fail-if-worse`, in all states of memory and beside busy neighbours.
#include "tool/analysis/gate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <span>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/support/soak.hpp"
#include "tests/tool/search/kept_noise.hpp"

namespace freshet::tool {
namespace {

constexpr double tolerated = 0.05;

/// A trial as it is kept.
struct kept_trial {
  double seconds = 1;
  bool met_slow_memory = false;
  double waited = 0;  ///< seconds of these
};

using kept_run = std::vector<kept_trial>;

kept_run trials(std::span<const double> seconds, bool met_slow_memory = false) {
  kept_run all;
  for (const double each : seconds) all.push_back({.seconds = each, .met_slow_memory = met_slow_memory});
  return all;
}

kept_run joined(kept_run one, const kept_run& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// Runs that met no state of memory in common are not judged: that is open.
judged_plan judge(const kept_run& before, const kept_run& after) {
  const run first = test::make_run(1);
  const run second = test::make_run(2);
  side_matcher matcher{{first, second}, {}, false};
  for (const std::size_t side : {0U, 1U})
    for (unsigned round = 0; const kept_trial& each : side == 0 ? before : after) {
      trial_result trial = test::make_trial({.method = "buffered"}, each.seconds, round++,
                                            {.cpu = 0.1, .met_slow_memory = each.met_slow_memory});
      trial.cpu_waited = each.waited;
      for (record& stored : test::keep({trial}, side == 0 ? first : second))
        matcher.add(side, std::move(stored), side, metric::ranking);
    }
  const std::vector<judged_plan> all = judge_plans(matcher.match(matching::plans, metric::ranking), tolerated);
  return all.empty() ? judged_plan{} : all.front();
}

regression_state judge_state(const kept_run& before, const kept_run& after) {
  return judge(before, after).own.result.state;
}

using figures = std::vector<double>;

// Two and four trials, and one and five: neither state has six of each side.
TEST(gate, decides_where_both_runs_met_two_states_of_memory) {
  const kept_run before = joined(trials(figures{0.50, 0.52}, true), trials(figures{0.10, 0.11, 0.105, 0.102}));
  const kept_run same = joined(trials(figures{0.51}, true), trials(figures{0.103, 0.108, 0.101, 0.106, 0.104}));
  const kept_run slower = joined(trials(figures{0.90}, true), trials(figures{0.21, 0.22, 0.2, 0.23, 0.24}));
  EXPECT_EQ(judge_state(before, same), regression_state::fine);
  EXPECT_EQ(judge_state(before, slower), regression_state::worse);
  EXPECT_EQ(judge_state(slower, before), regression_state::fine) << "it got better";
  EXPECT_EQ(judge(before, same).whole.against.ratio.count, 6U);
}

TEST(gate, does_not_compare_states_of_memory_with_each_other) {
  // All of the difference is one of memory: of six quick trials and six slow ones, and a few of the other.
  const kept_run quick = joined(trials(figures{0.50}, true), trials(figures{0.10, 0.11, 0.105, 0.102, 0.106}));
  const kept_run slow = joined(trials(figures{0.51, 0.50, 0.52, 0.49, 0.505}, true), trials(figures{0.104}));
  EXPECT_NE(judge_state(quick, slow), regression_state::worse);
  EXPECT_NEAR(judge(quick, slow).whole.against.ratio.value, 1, 0.05);
}

TEST(gate, cannot_tell_from_fewer_trials_than_decide) {
  const kept_run few = trials(figures{0.10, 0.11, 0.105, 0.102, 0.106});
  EXPECT_EQ(judge_state(few, few), regression_state::open);
}

// Trials that took a tenth of a second, of which neighbours had the processors for some.
kept_run beside_neighbours(std::mt19937_64& random, double own, double least, double most) {
  std::uniform_real_distribution<double> wait{least, most};
  std::normal_distribution<double> noise{0, 0.02};
  kept_run all(9);
  for (kept_trial& each : all) {
    each.waited = wait(random);
    each.seconds = own * std::exp(noise(random)) + each.waited;
  }
  return all;
}

TEST(gate, takes_what_neighbours_cost_for_no_loss) {
  std::mt19937_64 random{test::sample_seed()};
  const kept_run quiet = beside_neighbours(random, 0.1, 0, 0.001);
  const kept_run beside = beside_neighbours(random, 0.1, 0.05, 0.09);
  const judged_plan judged = judge(quiet, beside);
  EXPECT_EQ(judged.whole.result.state, regression_state::worse);
  EXPECT_EQ(judged.own.result.state, regression_state::fine);
  EXPECT_EQ(judge_state(quiet, beside_neighbours(random, 0.15, 0.05, 0.09)), regression_state::worse);
  EXPECT_EQ(judge_state(beside, beside_neighbours(random, 0.2, 0.02, 0.09)), regression_state::worse);
}

/// Trials of kept runs in random order, so that there is nothing between two of them but noise; every third met slow
/// memory, and some waited.
class equal_runs {
 public:
  explicit equal_runs(std::span<const int> noise) : noise_{noise} {}

  kept_run draw(unsigned count) {
    kept_run all(count);
    std::bernoulli_distribution slow{1.0 / 3};
    std::uniform_real_distribution<double> share{0, 0.4};
    for (kept_trial& each : all) {
      const double own = std::exp(noise_[pick_(random_) % noise_.size()] / 1000.0);
      each.met_slow_memory = slow(random_);
      each.seconds = (each.met_slow_memory ? 4 : 1) * own;
      each.waited = each.seconds * share(random_);
    }
    return all;
  }

 private:
  std::span<const int> noise_;
  std::mt19937_64 random_{test::sample_seed()};
  std::uniform_int_distribution<std::size_t> pick_{0, 1'000'000};
};

// How many pairs of equal runs are called worse, and how many have a range that leaves no room for that.
void expect_few_false_calls(std::span<const int> noise, unsigned trials_of_each) {
  const int pairs = static_cast<int>(test::sample_size(4000, 400));
  equal_runs runs{noise};
  int worse = 0;
  int excluded = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const judged_plan judged = judge(runs.draw(trials_of_each), runs.draw(trials_of_each));
    worse += judged.own.result.state == regression_state::worse ? 1 : 0;
    const estimate& ratio = judged.own.against.ratio;
    excluded += ratio.has_interval() && (ratio.range.low > 1 || ratio.range.high < 1) ? 1 : 0;
  }
  EXPECT_LE(worse, pairs / 20);
  EXPECT_LE(excluded, pairs / 20 + 4 * std::sqrt(pairs / 20)) << "one in twenty, and four deviations of that number";
  std::cout << "[ counted  ] of " << pairs << " pairs of equal runs of " << trials_of_each << " trials, " << worse
            << " are called worse, and " << excluded << " ranges exclude 1\n";
}

TEST(gate, calls_few_equal_runs_worse) {
  for (const unsigned count : {6U, 15U}) {
    SCOPED_TRACE(count);
    expect_few_false_calls(noise_of_writing, count);
    expect_few_false_calls(noise_of_reading, count);
  }
}

}  // namespace
}  // namespace freshet::tool
