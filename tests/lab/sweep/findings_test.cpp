// The conclusions and the report of a sweep, from invented figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lab/sweep/findings.hpp"
#include "lab/sweep/lines_report.hpp"
#include "lab/sweep/report.hpp"
#include "lab/sweep/sweep.hpp"
#include "tests/lab/sweep/invented_sweep.hpp"
#include "tests/support/golden.hpp"
#include "tests/tool/report/screen_test.hpp"

namespace freshet::tool {
namespace {

using test::invented_sweep;
using test::is_golden;
using testing::ElementsAre;
using testing::StartsWith;

class sweep_report : public test::screen_test {};

TEST(sweep_findings, take_medians_of_valid_trials_only) {
  invented_sweep sweep{{0}};
  const sweep_cell cell = invented_sweep::cell(strategy::streaming, 2, 0);
  sweep.add(cell, {1, 2, 4, 100}, 0.75);
  sweep.spoil(3, "not warm");
  const cell_figures figures = compute_figures(sweep.result, cell);
  EXPECT_EQ(figures.valid, 3U);
  EXPECT_EQ(figures.invalid, 1U);
  EXPECT_EQ(figures.seconds.value, 2);
  EXPECT_EQ(figures.spread, 0.5);
  EXPECT_EQ(figures.seconds_to_disk, 3);
  EXPECT_EQ(figures.megabytes, 50);
  EXPECT_DOUBLE_EQ(figures.busy, 0.75);
  EXPECT_EQ(figures.peak_memory, 3U << 20);
  EXPECT_THAT(figures.reasons, ElementsAre("not warm"));
  EXPECT_EQ(compute_figures(sweep.result, invented_sweep::cell({}, 2, 0)).valid, 0U);
}

TEST(sweep_findings, compare_auto_with_the_faster_of_both_round_by_round) {
  invented_sweep sweep{{0, 100}, {1}};
  const auto cell = invented_sweep::cell;
  sweep.add(cell(strategy::streaming, 1, 0), {2, 4, 8});
  sweep.add(cell(strategy::buffering, 1, 0), {3, 6, 12});
  sweep.add(cell({}, 1, 0), {1, 2, 4});
  sweep.add(cell(strategy::streaming, 1, 100), {10, 10, 10});
  sweep.add(cell(strategy::buffering, 1, 100), {9, 9, 9});
  sweep.add(cell({}, 1, 100), {10, 10, 10});
  const auto ratios = auto_ratios(sweep.result);
  ASSERT_EQ(ratios.size(), 2U);
  EXPECT_EQ(ratios[0].against, strategy::streaming);
  EXPECT_DOUBLE_EQ(ratios[0].ratio.value, 2);
  EXPECT_EQ(ratios[1].against, strategy::buffering);
  EXPECT_DOUBLE_EQ(ratios[1].ratio.value, 0.9);
  EXPECT_EQ(slowest(ratios).cell.work, 100U);
  EXPECT_DOUBLE_EQ(median_cell(ratios, 0)->ratio.value, 2);
  EXPECT_FALSE(median_cell(ratios, 7));
}

TEST(sweep_findings, compare_nothing_if_a_round_has_no_pair) {
  invented_sweep sweep{{0}, {1}};
  sweep.add_all(0, {1});
  sweep.spoil(1, "not cold");
  EXPECT_TRUE(auto_ratios(sweep.result).empty());
}

// The sentence about a corpus whose fastest cell is busy for these shares of the time at work 0, 100 and 200.
std::string limit_of(double at_0, double at_100, double at_200) {
  invented_sweep sweep{{200, 0, 100}, {1, 2}};
  for (const auto& [work, busy] : {std::pair{0U, at_0}, std::pair{100U, at_100}, std::pair{200U, at_200}}) {
    sweep.add_all(work, {5, 5, 5}, 1);
    sweep.add(invented_sweep::cell(strategy::pipelined, 2, work), {1, 1, 1}, busy);
  }
  sweep.result.plan.strategies.push_back(strategy::pipelined);
  return describe_limit(sweep.result, 0);
}

TEST(sweep_limit, is_the_cpu_where_the_fastest_cell_keeps_its_threads_busy) {
  EXPECT_EQ(limit_of(0.43, 0.97, 0.99),
            "The disk is the limit up to work 0, the CPU from work 100 on: the fastest there, pipelined with 2 threads "
            "keeps its 2 threads busy for 43 % of the time at work 0, and pipelined with 2 threads keeps its 2 threads "
            "busy for 97 % of the time at work 100.");
  EXPECT_THAT(limit_of(0.5, 0.6, 0.9), StartsWith("The disk is the limit up to work 100, the CPU from work 200 on: "));
  EXPECT_THAT(limit_of(0.95, 0.97, 0.99), StartsWith("The CPU is the limit at every level from work 0: "));
  EXPECT_THAT(limit_of(0.3, 0.4, 0.89), StartsWith("The disk is the limit at every level up to work 200: "));
}

TEST(sweep_limit, is_unknown_if_work_levels_contradict_one_another) {
  for (const double at_200 : {0.99, 0.6})
    EXPECT_THAT(limit_of(0.95, 0.5, at_200),
                StartsWith("It is unclear up to which work level the disk is the limit: "));
}

TEST(sweep_limit, is_unknown_where_others_had_the_processors) {
  invented_sweep sweep{{0}, {1}};
  sweep.add_all(0, {5, 5, 5}, 1);
  sweep.add(invented_sweep::cell(strategy::pipelined, 1, 0), {0.26, 0.26, 0.26}, 0.25);
  sweep.result.plan.strategies.push_back(strategy::pipelined);
  for (sweep_trial& each : sweep.result.trials) each.figures.cpu_waited = 0.18;
  EXPECT_EQ(describe_limit(sweep.result, 0),
            "What limits work 0 is not known: others had the processors for 0.18 s of 0.26.");
  for (sweep_trial& each : sweep.result.trials) each.figures.cpu_waited = 0.01;
  EXPECT_THAT(describe_limit(sweep.result, 0), StartsWith("The disk is the limit at work 0: "));
}

TEST_F(sweep_report, has_no_spread_of_one_trial) {
  EXPECT_EQ(format_with_spread(1, 0.05, 1), "1.00");
  EXPECT_EQ(format_with_spread(1, 0.05, 2), "1.00 ±5 %");
}

TEST(sweep_limit, is_unknown_without_valid_trials) {
  invented_sweep sweep{{0, 100}, {1}};
  sweep.add_all(0, {1, 1, 1});
  EXPECT_FALSE(find_cpu_limit(sweep.result, 0).complete);
  EXPECT_EQ(describe_limit(sweep.result, 0),
            "It is unclear where the disk stops being the limit: there is a work level without a valid trial.");
}

TEST(sweep_limit, counts_processors_if_there_are_more_threads) {
  invented_sweep sweep{{0}, {4}};
  sweep.add_all(0, {1, 1, 1}, 0.5);  // of four threads: two processors all the time
  EXPECT_EQ(find_cpu_limit(sweep.result, 0).levels.at(0).busy, 1);
  EXPECT_EQ(
      describe_limit(sweep.result, 0),
      "The CPU is the limit at work 0: the fastest, streaming with 4 threads keeps 2 processors busy for 100 % of "
      "the time at work 0.");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The width in columns of a terminal. A byte that continues a UTF-8 character has no width.
std::ptrdiff_t width_of(const std::string& line) {
  return std::ranges::count_if(line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

TEST_F(sweep_report, marks_each_columns_best_and_fits_a_terminal) {
  invented_sweep sweep{{0, 100, 200, 1000}, {1, 2, 3, 4}};
  sweep.result.plan.strategies.assign(wanted_strategies().begin(), wanted_strategies().end());
  for (const unsigned work : sweep.result.plan.work) sweep.add_all(work, {0.1234 + work, 0.1244 + work, 0.12 + work});
  sweep.add(invented_sweep::cell(strategy::async, 3, 100), {50, 51, 51, 51, 49});
  const std::string report = format_sweep(sweep.result);
  for (const std::string& line : lines_of(report)) EXPECT_LE(width_of(line), 80) << line;
  EXPECT_TRUE(is_golden("lab/sweep/screens/wide.txt", report));
}

TEST_F(sweep_report, reports_invalid_trials_with_their_reason) {
  invented_sweep sweep{{0}, {1}};
  sweep.add_all(0, {1, 2});
  for (const std::size_t trial : {0U, 1U, 2U}) sweep.spoil(trial, "not cold: 'a' is in memory");
  EXPECT_TRUE(is_golden("lab/sweep/screens/invalid.txt", format_sweep(sweep.result)));
}

TEST_F(sweep_report, reports_a_failure_once_and_counts_the_other_trials_of_its_cell) {
  invented_sweep sweep{{0}, {1}};
  sweep.add_all(0, {1, 2, 3});
  sweep.result.trials[1].failure = "write 'a': no rings";
  sweep.spoil(1, sweep.result.trials[1].failure);
  EXPECT_TRUE(is_golden("lab/sweep/screens/failed.txt", format_sweep(sweep.result)));
  const cell_figures figures = compute_figures(sweep.result, invented_sweep::cell(strategy::streaming, 1, 0));
  EXPECT_EQ(figures.trials, 3U);
  EXPECT_EQ(figures.failed, 1U);
  EXPECT_EQ(figures.valid, 2U);
  EXPECT_EQ(figures.counted, 2U);
}

TEST(sweep_json, names_trials_shortly_after_files_were_deleted) {
  invented_sweep sweep{{0}, {1}};
  sweep.add_all(0, {1, 2});
  sweep.result.trials[3].files_removed_shortly_before = true;
  const nlohmann::json json = make_json(sweep.result);
  for (std::size_t trial = 0; trial < 6; ++trial)
    EXPECT_EQ(json.at("trials").at(trial).at("files_removed_shortly_before"), trial == 3);
}

TEST(sweep_json, has_plan_cells_ratios_and_limits) {
  invented_sweep sweep{{0, 100}, {1}};
  sweep.add_all(0, {1, 2, 3}, 0.5);
  sweep.add_all(100, {1, 2, 3}, 0.95);
  sweep.spoil(0, "not warm");
  sweep.result.trials[1].figures.peak_memory.reset();
  const nlohmann::json json = make_json(sweep.result);
  EXPECT_EQ(json.at("plan").at("corpora").at(0).at("files"), 20);
  EXPECT_EQ(json.at("plan").at("strategies"), (nlohmann::json{"streaming", "buffering", "auto"}));
  EXPECT_EQ(json.at("trials").size(), 18U);
  EXPECT_EQ(json.at("trials").at(0).at("verdict"), "invalid");
  EXPECT_TRUE(json.at("trials").at(1).at("peak_memory").is_null());
  EXPECT_EQ(json.at("cells").size(), 6U);
  EXPECT_EQ(json.at("cells").at(0).at("invalid"), 1);
  EXPECT_EQ(json.at("auto_against_best_of_streaming_and_buffering").size(), 2U);
  EXPECT_EQ(json.at("limits").at(0).at("cpu_bound_from_work"), 100);
}

}  // namespace
}  // namespace freshet::tool
