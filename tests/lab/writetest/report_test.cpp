// The output of `freshet writetest`: a line for each write, and averages; and the series of trials behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lab/writetest/report.hpp"
#include "tests/support/instant_memory.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint64_t one_mb = 1 << 20;

trial_result made_in(double seconds, double to_disk) {
  trial_result trial;
  trial.bytes = 100 * one_mb;
  trial.seconds_to_close = seconds;
  trial.seconds_to_disk = to_disk;
  trial.cpu_whole = 0.1;
  return trial;
}

trial_result invalid(trial_result trial) {
  trial.validity = trial_validity::invalid;
  trial.reasons = {"the content differs"};
  return trial;
}

candidate row_of(const std::string& method, std::vector<trial_result> trials, std::string dropped = {}) {
  return {.plan = {.method = method, .size = 100 * one_mb}, .trials = std::move(trials), .dropped = std::move(dropped)};
}

TEST(writetest_averages, have_the_speed_in_the_mean_time_and_its_extremes) {
  const std::vector<candidate> rows{row_of("buffered", {made_in(1, 2), made_in(3, 6)}),
                                    row_of("aio", {made_in(0.5, 0.5)})};
  const std::string text = format_writetest_averages(write_phase::cycle, rows, {});
  EXPECT_THAT(text, StartsWith("Cycle: all methods in turn, new files\n"));
  EXPECT_THAT(text, ContainsRegex("method +seconds +bytes/s +MB/s +from-to +disk s +MB/s +from-to +CPU s/GB\n"));
  EXPECT_THAT(text, ContainsRegex("genio +2.00 +52428800 +50.0 +33.3-100 +4.00 +25.0 +16.7-50.0 +0.954\n"));
  EXPECT_THAT(text, ContainsRegex("aio +0.500 +209715200 +200 +- +0.500 +200 +- +0.954\n"));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(writetest_averages, leave_out_invalid_trials_with_reasons) {
  const std::vector<candidate> rows{
      row_of("stdio", {made_in(1, 1), invalid(made_in(0.1, 0.1))}),
      row_of("aio", {invalid(made_in(0.1, 0.1))}),
      row_of("uring", {made_in(1, 1)}, "write '/a': No space left on device"),
      row_of("direct", {}, "write '/a': No space left on device"),
  };
  const std::string text = format_writetest_averages(write_phase::sequential, rows, {});
  EXPECT_THAT(text, StartsWith("Sequential: method by method, new files\n"));
  EXPECT_THAT(text, ContainsRegex("\n +stdio +1.00 "));
  EXPECT_THAT(text, ContainsRegex("\n! +aio +0.100 "));
  EXPECT_THAT(text, Not(ContainsRegex("\n!? *direct ")));
  EXPECT_THAT(text, HasSubstr("stdio: 1 of 2 invalid: the content differs\n"));
  EXPECT_THAT(text, HasSubstr("aio: invalid: the content differs\n"));
  EXPECT_THAT(text, HasSubstr("uring, direct: failed: write '/a': No space left on device\n"));
}

TEST(writetest_averages, report_that_files_are_overwritten) {
  std::vector<candidate> rows{row_of("stdio", {made_in(1, 1)})};
  rows.front().plan.target = target_kind::overwrite;
  EXPECT_THAT(format_writetest_averages(write_phase::sequential, rows, {}),
              StartsWith("Sequential: method by method, over existing files\n"));
}

TEST(writetest_averages, are_the_same_in_json) {
  const nlohmann::json all = writetest_averages(std::vector{
      row_of("buffered", {made_in(1, 2), made_in(3, 6), invalid(made_in(9, 9))}), row_of("aio", {}, "it failed")});
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

TEST(format_write, shows_a_write_or_its_failure) {
  const std::vector<candidate> rows{row_of("buffered", {made_in(1, 2)}), row_of("stdio", {invalid(made_in(1, 2))}),
                                    row_of("aio", {made_in(1, 1)}, "write '/a': No space left on device")};
  EXPECT_THAT(format_write_heading(), ContainsRegex("phase +method +round +MB/s +MB/s +seconds +seconds\n"));
  EXPECT_THAT(format_write(write_phase::cycle, rows[0], "1/3", {}),
              ContainsRegex("^cycle +genio +1/3 +100 +50.0 +1.00 +2.00\n$"));
  EXPECT_THAT(format_write(write_phase::sequential, rows[1], "2/3", {}),
              ContainsRegex("^sequential +stdio +2/3 +100 +50.0 +1.00 +2.00\n! invalid: the content differs\n$"));
  EXPECT_THAT(format_write(write_phase::cycle, rows[2], "3/3", {}),
              ContainsRegex("^cycle +aio +3/3 +failed: write '/a': No space left on device\n$"));
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
