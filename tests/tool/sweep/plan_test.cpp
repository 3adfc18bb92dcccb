// What a sweep plans, and how long it says that it will take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tool/sweep/pace.hpp"
#include "tool/sweep/plan.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::vector<unsigned> files_of(const sweep_plan& plan) {
  std::vector<unsigned> files;
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus) files.push_back(scaled(plan, corpus).files);
  return files;
}

TEST(sweep_plan, has_every_combination_once) {
  sweep_plan plan;
  plan.threads = {1, 2};
  const auto cells = cells_of(plan);
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
  const corpus_plan lines = scaled(plan, 3);
  EXPECT_EQ(lines.lines, 100'000U);
  EXPECT_EQ(lines.chars, 1000U);
  EXPECT_FALSE(lines.vary);
}

TEST(sweep_plan, leaves_a_file_for_every_thread_where_there_are_so_many) {
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

TEST(sweep_plan, knows_how_much_will_be_written) {
  // 100 characters become 136 of Base64 and a line's end, 1000 become 1336 and one.
  EXPECT_EQ(output_bytes({.files = 2, .lines = 3, .chars = 100}), 2U * 3 * 137);
  EXPECT_EQ(output_bytes({.files = 1, .lines = 1, .chars = 99}), 133U);
  sweep_plan plan;
  plan.corpora = {{"few", 2, 10, 100}, {"many", 4, 10, 100}};
  plan.contenders = {strategy::streaming, std::nullopt};
  plan.work = {0, 1, 2};
  const std::uint64_t inputs = std::uint64_t{6} * 10 * 101;
  EXPECT_EQ(bytes_written_by(plan, 0), inputs);
  EXPECT_EQ(bytes_written_by(plan, 5), inputs + std::uint64_t{5} * 6 * 6 * 10 * 137);
  EXPECT_EQ(bytes_needed_by(plan), inputs + std::uint64_t{4} * 10 * 137);
}

sweep_pace pace_of_two_processors() {
  sweep_pace pace;
  pace.per_byte = 1e-9;
  pace.per_file = 1e-4;
  pace.between = 0.3;
  pace.processors = 2;
  for (const corpus_shape& corpus : sweep_corpora()) pace.passes[{corpus.chars, 100}] = 1e-8;
  return pace;
}

TEST(sweep_pace, predicts_from_files_bytes_and_passes) {
  const sweep_plan plan;
  const sweep_pace pace = pace_of_two_processors();
  const double bytes = 20 * 100'000.0 * 1001;
  const auto seconds = [&](unsigned threads, unsigned work) {
    return predicted_seconds(plan, {.corpus = 3, .how = {}, .threads = threads, .work = work}, 1, pace);
  };
  EXPECT_DOUBLE_EQ(seconds(1, 0), 20e-4 + bytes * 1e-9);
  EXPECT_DOUBLE_EQ(seconds(1, 100), 20e-4 + bytes * 11e-9);
  EXPECT_DOUBLE_EQ(seconds(2, 100), 20e-4 + bytes * 6e-9);
  EXPECT_DOUBLE_EQ(seconds(8, 100), seconds(2, 100)) << "there are two processors";
}

TEST(sweep_pace, counts_what_is_between_the_trials) {
  sweep_plan plan;
  plan.corpora = {sweep_corpora().back()};
  plan.contenders = {strategy::streaming};
  plan.work = {0};
  const double bytes = 20 * 100'000.0 * 1001;
  sweep_pace pace;
  const auto seconds = [&](unsigned rounds) { return predicted_seconds(plan, 1, rounds, pace); };
  pace.between = 0.3;
  EXPECT_DOUBLE_EQ(seconds(3), 3 * 0.3);
  pace.between_per_byte = 1e-9;
  EXPECT_DOUBLE_EQ(predicted_between(plan, 0, 1, pace), 0.3 + bytes * 1e-9);
  EXPECT_DOUBLE_EQ(seconds(3), 3 * (0.3 + bytes * 1e-9));
  pace = {.check_per_byte = 2e-9};
  EXPECT_DOUBLE_EQ(seconds(3), bytes * 2e-9) << "each cell's output is compared once";
  pace = {.per_file = 1e-3};
  EXPECT_DOUBLE_EQ(predicted_removal(plan, 1, 3, pace), 3 * 20e-3);
  EXPECT_DOUBLE_EQ(seconds(3), (1 + 3 + 3) * 20e-3) << "made as input, encrypted, removed";
}

TEST(sweep_pace, finds_the_largest_scale_that_fits) {
  sweep_plan plan;
  plan.threads = {1, 2};
  const sweep_pace pace = pace_of_two_processors();
  const double whole = predicted_seconds(plan, 1, 3, pace);
  EXPECT_EQ(fitting_scale(plan, 3, whole, no_limit, pace), 1);
  const double half = fitting_scale(plan, 3, whole / 2, no_limit, pace);
  EXPECT_GT(half, 0.3);
  EXPECT_LT(half, 0.6);
  EXPECT_LE(predicted_seconds(plan, half, 3, pace), whole / 2);
  EXPECT_GT(predicted_seconds(plan, half + 0.011, 3, pace), whole / 2);
  EXPECT_EQ(fitting_scale(plan, 3, 0, no_limit, pace), least_fitting_scale);
  sweep_plan smaller = plan;
  smaller.scale = fitting_scale(plan, 3, whole, std::uint64_t{32} << 30, pace);
  EXPECT_LE(bytes_written_by(smaller, 3), std::uint64_t{32} << 30);
  EXPECT_GT(smaller.scale, 0.1);
}

}  // namespace
}  // namespace freshet::tool
