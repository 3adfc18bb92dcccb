// How many rounds a series has.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

/// A series of two plans whose trials write 10 bytes and take a time of a simulated clock.
class rounds_of_a_series : public testing::Test {
 protected:
  series_result run(const round_limits& limits, trial_order order = trial_order::random) {
    now_ = 0;
    rows_ = {{.plan = {.method = "one"}}, {.plan = {.method = "other"}}};
    const auto trial_of = [this](const trial_plan& plan) {
      now_ += seconds_of_a_trial_;
      trial_result trial;
      trial.plan = plan;
      trial.bytes_written = 10;
      return trial;
    };
    return run_rounds(rows_, limits, {order, 7},
                      {.run = trial_of,
                       .before = [](const scheduled_trial&, std::size_t, double) {},
                       .keep = [](const trial_result&) {},
                       .after = [](const scheduled_trial&) {}},
                      [this] { return now_; });
  }
  /// The number of trials that each plan has. Precondition: both have as many.
  [[nodiscard]] std::size_t made() const {
    EXPECT_EQ(rows_[0].trials.size(), rows_[1].trials.size());
    return rows_[0].trials.size();
  }

  double seconds_of_a_trial_ = 0.01;
  double now_ = 0;
  std::vector<candidate> rows_;
};

TEST_F(rounds_of_a_series, are_more_where_they_are_short) {
  const series_result result = run({.rounds = 6, .rounds_if_short = 15, .seconds = 5, .max_bytes = any_number});
  EXPECT_EQ(made(), 15U);
  EXPECT_EQ(result.trials.size(), 30U);
  EXPECT_EQ(result.bytes_written, 300U);
  for (unsigned round = 0; round < 15; ++round) EXPECT_EQ(rows_[0].trials[round].round, round);
}

TEST_F(rounds_of_a_series, keep_to_the_time) {
  seconds_of_a_trial_ = 0.25;  // ten rounds in five seconds
  EXPECT_EQ(run({.rounds = 6, .rounds_if_short = 15, .seconds = 5, .max_bytes = any_number}).trials.size(), 20U);
  seconds_of_a_trial_ = 3;
  EXPECT_EQ(run({.rounds = 6, .rounds_if_short = 15, .seconds = 5, .max_bytes = any_number}).trials.size(), 12U);
}

TEST_F(rounds_of_a_series, keep_to_the_bytes) {
  EXPECT_EQ(run({.rounds = 6, .rounds_if_short = 15, .seconds = 5, .max_bytes = 179}).bytes_written, 160U);
}

TEST_F(rounds_of_a_series, are_as_many_as_were_asked_for) {
  EXPECT_EQ(run({.rounds = 6, .max_bytes = any_number}).trials.size(), 12U);
  EXPECT_EQ(run({.rounds = 20, .rounds_if_short = 15, .max_bytes = any_number}).trials.size(), 40U);
  EXPECT_EQ(run({.rounds = 6, .rounds_if_short = 15, .max_bytes = any_number}, trial_order::sequential).trials.size(),
            12U);
}

// The first rounds are those of a series without further ones, so that its seed repeats it.
TEST_F(rounds_of_a_series, begin_as_those_of_fewer) {
  const series_result fewer = run({.rounds = 6, .max_bytes = any_number});
  std::vector<unsigned> positions;
  for (const trial_result& trial : rows_[0].trials) positions.push_back(trial.position);
  const series_result more = run({.rounds = 6, .rounds_if_short = 15, .max_bytes = any_number});
  for (std::size_t round = 0; round < positions.size(); ++round)
    EXPECT_EQ(rows_[0].trials[round].position, positions[round]);
}

}  // namespace
}  // namespace freshet::tool
