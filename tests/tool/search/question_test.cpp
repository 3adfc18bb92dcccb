// How a question is answered on a machine that is only simulated.
#include "tool/search/question.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "tests/support/made_up_trials.hpp"
#include "tool/search/answer.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t gibibyte = 1024 * mebibyte;

/// A machine on which each method writes at a rate of its own, in bytes per second, and trials vary by some percent.
struct simulated_machine {
  std::map<std::string, double> rates;
  double noise = 0.03;
  double clock = 0;
  std::uint64_t written = 0;
  std::uint64_t room = ~std::uint64_t{0};  // bytes until the disk is full
  std::mt19937_64 random{1};
  std::vector<trial_plan> plans = {};

  trial_result run(const trial_plan& plan) {
    if (plan.size > room) throw error{std::make_error_code(std::errc::no_space_on_device), "write", "/disk/file"};
    room -= plan.size;
    const auto size = static_cast<double>(plan.size);
    const double luck = std::lognormal_distribution<double>{0, noise}(random);
    trial_result done = test::make_trial(plan, size / rates.at(plan.method) * luck, 0, {.cpu = 0.3 * size / 1e9});
    clock += 0.1 + done.seconds_to_disk;
    written += plan.size;
    plans.push_back(plan);
    return done;
  }
  [[nodiscard]] trial_source open() {
    return {.run = [this](const trial_plan& plan) { return run(plan); }, .now = [this] { return clock; }};
  }
};

question ask_for(const std::vector<std::string>& methods) {
  question asked{.size = gibibyte, .expected = {.seconds_per_byte = 1 / 2e9, .overhead_seconds = 0.1}};
  for (const std::string& each : methods) asked.ways.push_back({.method = each, .depth = 1});
  asked.baselines = {{.method = "ofstream"}};
  return asked;
}

const candidate& find(const race_result& result, const std::string& method) {
  return *std::ranges::find(result.candidates, method, [](const candidate& entry) { return entry.plan.method; });
}

budget seconds(double until) { return {.until = until, .bytes = 64 * gibibyte}; }

TEST(question, is_answered_by_the_fastest_way) {
  simulated_machine on{.rates = {{"buffered", 2e9},
                                 {"direct", 1.5e9},
                                 {"uring", 3e9},
                                 {"mmap", 0.5e9},
                                 {"adaptive", 2e9},
                                 {"ofstream", 0.2e9}}};
  budget left = seconds(120);
  const race_result result = answer(ask_for({"buffered", "direct", "uring", "mmap", "adaptive"}), on.open(), left);
  const class_verdict verdict = rank_candidates(io_class::none, result.candidates);
  EXPECT_EQ(result.end, race_end::settled);
  EXPECT_EQ(verdict.ranking.front().plan.method, "uring");
  EXPECT_EQ(verdict.ranking.front().size, gibibyte);
  EXPECT_GE(verdict.ranking.front().rate.count, rounds_to_decide);
  EXPECT_EQ(find(result, "mmap").trials.size(), 1U);
  EXPECT_NE(find(result, "mmap").dropped.find("x the fastest's time in 1 round"), std::string::npos);
  EXPECT_EQ(find(result, "ofstream").trials.size(), 3U);
  EXPECT_EQ(find(result, "ofstream").trials.front().round, 0U) << "from the first round on";
  EXPECT_EQ(find(result, "adaptive").trials.size(), find(result, "uring").trials.size());
  EXPECT_LT(on.clock, 60);
}

TEST(question, keeps_what_programs_get_by_themselves_to_the_end) {
  simulated_machine on{.rates = {{"buffered", 3e9}, {"adaptive", 0.3e9}, {"ofstream", 0.2e9}}};
  budget left = seconds(120);
  const race_result result = answer(ask_for({"buffered", "adaptive"}), on.open(), left);
  EXPECT_EQ(find(result, "adaptive").dropped, "");
  EXPECT_EQ(find(result, "adaptive").trials.size(), find(result, "buffered").trials.size());
}

TEST(question, keeps_what_programs_use_already_to_the_end) {
  simulated_machine on{.rates = {{"buffered", 3e9}, {"direct", 0.5e9}, {"adaptive", 3e9}, {"ofstream", 0.2e9}}};
  budget left = seconds(120);
  question asked = ask_for({"buffered", "direct", "adaptive"});
  asked.in_use = {{.method = "direct", .depth = 1}};
  const race_result result = answer(asked, on.open(), left);
  EXPECT_EQ(find(result, "direct").dropped, "");
  EXPECT_GE(find(result, "direct").trials.size() + 1, find(result, "adaptive").trials.size());
}

TEST(question, takes_no_longer_than_an_answer_needs) {
  simulated_machine on{.rates = {{"buffered", 2e9}, {"uring", 2e9}, {"adaptive", 2.3e9}, {"ofstream", 0.2e9}},
                       .noise = 0.01};
  budget left = seconds(600);
  const race_result result = answer(ask_for({"buffered", "uring", "adaptive"}), on.open(), left);
  EXPECT_EQ(result.end, race_end::settled);
  EXPECT_LE(on.clock, 60);
}

TEST(question, is_answered_for_smaller_files_where_time_is_short) {
  simulated_machine on{.rates = {{"buffered", 0.2e9}, {"uring", 0.3e9}, {"adaptive", 0.2e9}, {"ofstream", 0.1e9}}};
  budget left = seconds(40);
  question asked = ask_for({"buffered", "uring", "adaptive"});
  asked.expected.seconds_per_byte = 1 / 0.3e9;
  const race_result result = answer(asked, on.open(), left);
  const class_verdict verdict = rank_candidates(io_class::none, result.candidates);
  ASSERT_FALSE(verdict.ranking.empty());
  EXPECT_LT(verdict.ranking.front().size, gibibyte);
  EXPECT_GE(verdict.ranking.front().rate.count, rounds_to_decide);
  EXPECT_LE(on.clock, 41);
}

TEST(question, that_is_open_is_settled_with_more_rounds_of_the_same_files) {
  simulated_machine on{.rates = {{"buffered", 2e9}, {"uring", 3e9}, {"adaptive", 2e9}, {"ofstream", 0.2e9}},
                       .noise = 0.3};
  const question asked = ask_for({"buffered", "uring", "adaptive"});
  budget first = seconds(12);
  race_result so_far = answer(asked, on.open(), first);
  const class_verdict before = rank_candidates(io_class::none, so_far.candidates);
  ASSERT_FALSE(find_answer(before).is_sure);
  const std::size_t trials_before = find(so_far, "uring").trials.size();
  budget rest = seconds(120);
  const race_result settled = settle(asked, std::move(so_far.candidates), on.open(), rest);
  const std::vector<trial_result>& trials = find(settled, "uring").trials;
  EXPECT_GT(trials.size(), trials_before);
  EXPECT_LE(trials.size(), 21U);
  for (std::size_t i = 1; i < trials.size(); ++i)
    EXPECT_GT(trials[i].round, trials[i - 1].round) << "a round of its own";
  EXPECT_EQ(trials.back().plan.size, trials[trials_before - 1].plan.size);
  const class_verdict after = rank_candidates(io_class::none, settled.candidates);
  EXPECT_EQ(after.ranking.front().plan.method, "uring");
  EXPECT_TRUE(find_answer(after).is_sure);
}

TEST(question, lets_what_left_early_but_looked_faster_take_part_again) {
  simulated_machine on{.rates = {{"buffered", 2e9}, {"uring", 3e9}, {"adaptive", 2e9}, {"ofstream", 0.2e9}}};
  const question asked = ask_for({"buffered", "uring", "adaptive"});
  budget left = seconds(120);
  race_result so_far = answer(asked, on.open(), left);
  candidate& early =
      *std::ranges::find(so_far.candidates, "uring", [](const candidate& entry) { return entry.plan.method; });
  early.trials.resize(2);
  early.dropped = "not among the best 3 after 2 rounds";
  const race_result settled = settle(asked, std::move(so_far.candidates), on.open(), left);
  EXPECT_EQ(find(settled, "uring").dropped, "");
  EXPECT_GE(find(settled, "uring").trials.size(), rounds_to_decide);
}

TEST(question, stays_within_its_bytes) {
  simulated_machine on{.rates = {{"buffered", 2e9}, {"uring", 3e9}, {"adaptive", 2e9}, {"ofstream", 0.2e9}}};
  budget left{.until = 120, .bytes = 2 * gibibyte};
  const race_result result = answer(ask_for({"buffered", "uring", "adaptive"}), on.open(), left);
  EXPECT_LE(on.written, 2 * gibibyte);
  EXPECT_EQ(on.written + left.bytes, 2 * gibibyte);
  EXPECT_GE(find(result, "uring").trials.size(), 2U);
}

TEST(question, keeps_what_it_has_when_the_disk_is_full) {
  simulated_machine on{.rates = {{"buffered", 2e9}, {"uring", 3e9}, {"adaptive", 2e9}, {"ofstream", 0.2e9}},
                       .room = 10 * gibibyte};
  budget left = seconds(120);
  const race_result result = answer(ask_for({"buffered", "uring", "adaptive"}), on.open(), left);
  EXPECT_EQ(result.end, race_end::failed);
  EXPECT_EQ(result.failure, "write '/disk/file': No space left on device");
  EXPECT_GE(find(result, "uring").trials.size(), 2U);
}

TEST(question, compares_ways_in_small_files) {
  simulated_machine on{.rates = {{"uring", 3e9}, {"adaptive", 2e9}}};
  budget left = seconds(60);
  question asked = ask_for({});
  asked.size = 64 * mebibyte;
  const std::vector<trial_plan> ways{{.method = "uring", .depth = 1}, {.method = "adaptive", .depth = 1}};
  const std::vector<candidate> candidates = compare_in_size(asked, ways, on.open(), left);
  ASSERT_EQ(candidates.size(), 2U);
  for (const candidate& each : candidates) {
    EXPECT_EQ(each.trials.size(), rounds_to_decide);
    EXPECT_EQ(each.trials.front().plan.size, 64 * mebibyte);
  }
}

}  // namespace
}  // namespace freshet::tool
