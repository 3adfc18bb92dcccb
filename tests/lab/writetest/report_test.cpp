// The averages of `freshet writetest` as figures, and the series of trials behind them. tests/lab/writetest/screens
// has the output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/writetest/report.hpp"
#include "tests/support/instant_memory.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t one_mb = 1 << 20;

trial_result made_in(double seconds, double to_disk, const std::string& fault = {}) {
  return test::make_trial({.size = 100 * one_mb}, seconds, 0,
                          {.disk = to_disk / seconds, .cpu = 0.1, .invalid = fault});
}

candidate row_of(const std::string& method, std::vector<trial_result> trials, std::string dropped = {}) {
  return {.plan = {.method = method, .size = 100 * one_mb}, .trials = std::move(trials), .dropped = std::move(dropped)};
}

TEST(writetest_averages, are_the_same_in_json) {
  const nlohmann::json all = writetest_averages(
      std::vector{row_of("buffered", {made_in(1, 2), made_in(3, 6), made_in(9, 9, "the content differs")}),
                  row_of("aio", {}, "it failed")});
  EXPECT_EQ(all[0]["method"], "genio");
  EXPECT_EQ(all[0]["to_close"]["mean_seconds"], 2);
  EXPECT_EQ(all[0]["to_close"]["bytes_per_second"], 50 * one_mb);
  EXPECT_EQ(all[0]["to_close"]["mib_per_second"], 50);
  EXPECT_EQ(all[0]["to_close"]["fastest_mib_per_second"], 100);
  EXPECT_EQ(all[0]["to_disk"]["mean_seconds"], 4);
  EXPECT_EQ(all[0]["fault"], "1 of 3 invalid: the content differs");
  EXPECT_EQ(all[1]["why_not"], "it failed");
  EXPECT_FALSE(all[1].contains("to_close"));
}

TEST(series, continues_with_other_plans_after_a_failure) {
  const test::temporary_directory place{test::undisturbed_place()};
  const trial_plan good{.method = "buffered", .workload = workload_kind::blocks, .size = 1 << 16};
  trial_plan bad = good;
  bad.method = "no-such";
  std::vector<candidate> rows{{.plan = bad}, {.plan = good}};
  const std::vector<scheduled_trial> order = schedule(2, 2, trial_order::cycle, 1);
  file_runner runner{place.path(), test::no_preparation()};
  std::size_t kept = 0;
  std::vector<std::size_t> begun;
  std::vector<std::size_t> ended;
  const series_result result = run_series(rows, order,
                                          {.run = [&](const trial_plan& plan) { return runner.run(plan); },
                                           .before = [&](const scheduled_trial& next, std::size_t number,
                                                         double) { begun.push_back(10 * next.plan + number); },
                                           .keep = [&](const trial_result&) { ++kept; },
                                           .after = [&](const scheduled_trial& done) { ended.push_back(done.plan); }});
  EXPECT_EQ(kept, 2U);
  EXPECT_THAT(begun, ElementsAre(1, 12, 14));
  EXPECT_THAT(ended, ElementsAre(0, 1, 1));
  EXPECT_THAT(rows[0].dropped, HasSubstr("no-such"));
  EXPECT_EQ(rows[1].trials.size(), 2U);
  EXPECT_EQ(result.trials.size(), 2U);
}

}  // namespace
}  // namespace freshet::tool
