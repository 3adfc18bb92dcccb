// The shares of all ranks are merged into one trial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/sweep/sweep_trial.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;

TEST(sweep_trial, bills_a_machines_kernel_once) {
  sweep_trial trial;
  trial.figures.cpu_whole = 1000;
  trial.figures.seconds_to_close = trial.figures.seconds_to_disk = 1;
  const auto share = [](const std::string& machine, double process, double whole, std::uint64_t memory) {
    sweep_share one;
    one.machine = machine;
    one.cpu_to_close = process - 0.25;
    one.cpu_process = process;
    one.cpu_whole = whole;
    one.peak_memory = memory;
    one.bytes_in = 100;
    one.bytes_out = 137;
    return one;
  };
  merge(trial, {share("a", 1, 3, 10), share("a", 2, 3.5, 30), share("b", 4, 5, 20)});
  EXPECT_DOUBLE_EQ(trial.figures.cpu_process, 7);
  EXPECT_DOUBLE_EQ(trial.figures.cpu_whole, 7 + 2 + 1);
  EXPECT_DOUBLE_EQ(trial.cpu_to_close, 6.25);
  EXPECT_EQ(trial.figures.peak_memory, 30U);
  EXPECT_EQ(trial.figures.bytes, 300U);
  EXPECT_EQ(trial.figures.bytes_written, 411U);
  EXPECT_TRUE(find_exclusion_reasons(trial).empty());
}

TEST(sweep_trial, has_failed_where_one_share_has) {
  sweep_share failed;
  failed.failure = "no rings";
  const auto back = nlohmann::json(failed).get<sweep_share>();
  sweep_trial alone;
  merge(alone, {back});
  EXPECT_EQ(alone.failure, "no rings");
  EXPECT_FALSE(find_exclusion_reasons(alone).empty());
  sweep_trial of_two;
  merge(of_two, {{}, back});
  EXPECT_EQ(of_two.failure, "rank 1: no rings");
  EXPECT_THAT(of_two.figures.reasons, ElementsAre("rank 1: no rings"));
}

TEST(sweep_trial, is_invalid_where_one_share_is) {
  sweep_trial trial;
  sweep_share wrong;
  wrong.problems = {"not cold: no proof"};
  wrong.peak_memory = 12;
  const auto back = nlohmann::json(wrong).get<sweep_share>();
  EXPECT_EQ(back.problems, wrong.problems);
  EXPECT_EQ(back.peak_memory, wrong.peak_memory);
  EXPECT_FALSE(nlohmann::json(sweep_share{}).get<sweep_share>().peak_memory);
  merge(trial, {{}, back});
  EXPECT_FALSE(find_exclusion_reasons(trial).empty());
  EXPECT_THAT(trial.figures.reasons, ElementsAre("not cold: no proof"));
}

}  // namespace
}  // namespace freshet::tool
