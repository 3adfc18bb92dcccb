// The plan of a sweep, and the scale that fits its time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/sweep/plan.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::vector<unsigned> files_of(const sweep_plan& plan) {
  std::vector<unsigned> files;
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus)
    files.push_back(scale_corpus(plan, corpus).files);
  return files;
}

TEST(sweep_plan, lists_every_combination_once) {
  sweep_plan plan;
  plan.threads = {1, 2};
  const auto cells = list_cells(plan);
  EXPECT_EQ(cells.size(), 4U * 3 * 2 * 2);
  for (const sweep_cell& cell : cells) EXPECT_EQ(std::ranges::count(cells, cell), 1);
  EXPECT_EQ(describe(cells.front()), "streaming, 1 thread, work 0");
  EXPECT_EQ(describe(cells.back()), "auto, 2 threads, work 100");
}

TEST(sweep_plan, scales_the_number_of_files_and_nothing_else) {
  sweep_plan plan;
  plan.scale = 1;
  EXPECT_THAT(files_of(plan), ElementsAre(10'000, 100, 100, 20));
  plan.scale = 0.1;
  EXPECT_THAT(files_of(plan), ElementsAre(1000, 10, 10, 2));
  const corpus_plan lines = scale_corpus(plan, 3);
  EXPECT_EQ(lines.lines, 100'000U);
  EXPECT_EQ(lines.chars, 1000U);
  EXPECT_FALSE(lines.vary);
}

TEST(sweep_plan, has_a_file_for_every_thread_if_the_full_corpus_has) {
  sweep_plan plan;
  plan.scale = 0.0001;
  EXPECT_THAT(files_of(plan), ElementsAre(2, 2, 2, 2));
  plan.threads = {3, 1};
  EXPECT_THAT(files_of(plan), ElementsAre(3, 3, 3, 3));
  plan.ranks = 4;
  EXPECT_THAT(files_of(plan), ElementsAre(12, 12, 12, 12));
  plan.ranks = 1;
  plan.threads = {64};
  EXPECT_THAT(files_of(plan), ElementsAre(64, 64, 64, 20));
}

TEST(sweep_plan, predicts_the_bytes_written) {
  // 100 characters become 136 of Base64 and the line's end, 1000 become 1336 and one.
  EXPECT_EQ(output_bytes({.files = 2, .lines = 3, .chars = 100}), 2U * 3 * 137);
  EXPECT_EQ(output_bytes({.files = 1, .lines = 1, .chars = 99}), 133U);
  sweep_plan plan;
  plan.corpora = {{"few", 2, 10, 100}, {"many", 4, 10, 100}};
  plan.strategies = {strategy::streaming, std::nullopt};
  plan.work = {0, 1, 2};
  const std::uint64_t inputs = std::uint64_t{6} * 10 * 101;
  EXPECT_EQ(bytes_written_by(plan, 0), inputs);
  EXPECT_EQ(bytes_written_by(plan, 5), inputs + std::uint64_t{5} * 6 * 6 * 10 * 137);
  EXPECT_EQ(space_needed_by(plan).corpora, inputs);
  EXPECT_EQ(space_needed_by(plan).outputs, std::uint64_t{4} * 10 * 137);
}

TEST(sweep_plan, writes_outputs_only_where_the_input_is_the_users) {
  sweep_plan plan;
  plan.corpora = {{.name = "/letters",
                   .files = 3,
                   .directory = "/letters",
                   .volume = {.files = 3, .lines = 7, .bytes = 100, .bytes_out = 140}}};
  plan.strategies = {strategy::streaming};
  plan.work = {0};
  plan.scale = 0.5;
  EXPECT_EQ(scale_corpus(plan, 0).files, 3U) << "all of them, whatever the scale";
  EXPECT_EQ(bytes_written_by(plan, 4), 4U * 140);
  EXPECT_EQ(space_needed_by(plan).corpora, 0U);
  EXPECT_EQ(space_needed_by(plan).outputs, 140U);
}

/// A plan of one corpus of 10 files at a scale of 0.1, with two cells.
sweep_plan small_plan() {
  sweep_plan plan;
  plan.corpora = {{"files", 100, 10, 100}};
  plan.strategies = {strategy::streaming};
  plan.scale = 0.1;
  return plan;
}

TEST(sweep_scale, predicts_that_trials_grow_with_their_files_and_pauses_do_not) {
  const sweep_plan plan = small_plan();
  const round_times measured{.corpora = 2, .between_trials = 0.5, .trials = {1, 3}};
  const double removal = 1e-3;  // of 20 files
  EXPECT_NEAR(predict_seconds(plan, measured, 0.1, 1), 2 + 4, 2 * removal);
  EXPECT_NEAR(predict_seconds(plan, measured, 0.1, 3), 2 + 3 * 4, 6 * removal);
  EXPECT_NEAR(predict_seconds(plan, measured, 0.2, 1), 2 * 2 + (0.5 + 2 * 0.5) + (0.5 + 2 * 2.5), 4 * removal);
  EXPECT_GT(predict_seconds(plan, measured, 0.2, 1), predict_seconds(plan, measured, 0.1, 1));
}

TEST(sweep_scale, finds_the_largest_scale_that_fits) {
  const sweep_plan plan = small_plan();
  const round_times measured{.corpora = 1, .between_trials = 0.1, .trials = {1, 2}};
  const double whole = predict_seconds(plan, measured, 1, 3);
  EXPECT_EQ(find_fitting_scale(plan, measured, 3, whole, no_limit), 1);
  const double half = find_fitting_scale(plan, measured, 3, whole / 2, no_limit);
  EXPECT_GT(half, 0.4);
  EXPECT_LT(half, 0.6);
  EXPECT_LE(predict_seconds(plan, measured, half, 3), whole / 2);
  EXPECT_GT(predict_seconds(plan, measured, half + 0.011, 3), whole / 2);
  EXPECT_EQ(find_fitting_scale(plan, measured, 3, 0, no_limit), plan.scale) << "the first round's scale is the least";
  sweep_plan larger = plan;
  larger.scale = find_fitting_scale(plan, measured, 3, whole, 300'000);
  EXPECT_LE(bytes_written_by(larger, 3), 300'000U);
  EXPECT_GT(larger.scale, plan.scale);
}

}  // namespace
}  // namespace freshet::tool
