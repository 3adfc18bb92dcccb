// What else a verdict may have to say, held by a file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tool/analysis/comparison_text.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

using test::baseline;
using test::entry;
using seconds = std::vector<double>;

class verdict_screens : public test::screen_test {};

const seconds fast(8, 0.5);
const seconds usual(8, 1.0);
const seconds varied{1, 1.1, 0.9, 1.05, 0.95, 1, 1.02, 0.98};

/// A case of what was measured, in words.
struct verdict_case {
  std::string_view words;
  std::vector<candidate> candidates;
  io_class measured_class = io_class::none;
};

candidate left_early(candidate of) {
  of.dropped = "not among the best 3 after 2 rounds";
  return of;
}

candidate with_ceiling(candidate of) {
  for (trial_result& each : of.trials) each.generator_ceiling = 2100;
  return of;
}

candidate screening(candidate of) {
  for (trial_result& each : of.trials) each.screening = true;
  return of;
}

candidate with_reasons(candidate of, const std::vector<std::string>& reasons) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    of.trials[i].validity = trial_validity::invalid;
    of.trials[i].reasons = {reasons[i]};
  }
  return of;
}

// Each trial takes longer than the one before.
std::vector<candidate> getting_slower() {
  std::vector<candidate> all{entry("uring", usual), entry("direct", usual)};
  for (candidate& each : all)
    for (trial_result& trial : each.trials) trial.seconds_to_close = 1 + 0.05 * trial.round;
  return all;
}

std::vector<candidate> getting_faster() {
  std::vector<candidate> all = getting_slower();
  for (candidate& each : all)
    for (trial_result& trial : each.trials) trial.seconds_to_close = 1 / trial.seconds_to_close;
  return all;
}

// The first trial of each plan takes longer than its others, and so does the second plan of each round.
std::vector<candidate> by_position() {
  std::vector<candidate> all{entry("uring", usual), entry("direct", usual)};
  for (candidate& each : all)
    for (trial_result& trial : each.trials) {
      trial.position = (trial.round + (&each == &all.front() ? 0 : 1)) % 2;
      trial.seconds_to_close = (trial.position == 0 ? 1 : 1.25) * (1 + 0.001 * trial.round);
    }
  return all;
}

std::vector<candidate> slow_at_first() {
  std::vector<candidate> all;
  for (const char* const method : {"buffered", "uring", "direct", "libaio"})
    all.push_back(entry(method, {2, 1, 1.01, 0.99, 1, 1.02, 0.98, 1}));
  return all;
}

std::vector<candidate> mostly_slow_memory() {
  return {entry("adaptive", usual, {.met_slow_memory = true}), entry("uring", fast, {.met_slow_memory = true}),
          entry("direct", {0.25, 0.25}), entry("libaio", {0.5, 0.5})};
}

std::vector<candidate> in_reused_memory() {
  const trial_plan over{.method = "uring", .target = target_kind::overwrite, .memory = memory_state::recycled};
  trial_plan direct = over;
  direct.method = "direct";
  return {entry(over, fast), entry(direct, usual)};
}

std::vector<verdict_case> all_cases() {
  return {
      {"trials became slower", getting_slower()},
      {"trials became faster", getting_faster()},
      {"trials late in a round were slower", by_position()},
      {"first trials were slower", slow_at_first()},
      {"outliers of many plans",
       {entry("uring", {1, 1, 1.01, 0.99, 1, 5}), entry("direct", {1, 1, 1.01, 0.99, 1, 4}),
        entry("libaio", {1, 1, 1.01, 0.99, 1, 3}), entry("buffered", {1, 1, 1.01, 0.99, 1, 0.1})}},
      {"reasons that differ in figures only",
       {with_reasons(entry("uring", usual), {"others wrote 10 bytes: ninja", "others wrote 11 bytes: as"})}},
      {"two baselines", {entry("uring", fast), baseline(entry("ofstream", usual)), baseline(entry("stdio", varied))}},
      {"costs more than the baseline", {entry("uring", fast, {.cpu = 2}), baseline(entry("ofstream", usual))}},
      {"bounded by the checksum", {with_ceiling(entry("uring", fast)), entry("direct", usual)}, io_class::warm},
      {"two that left early",
       {entry("uring", fast), left_early(entry("direct", {0.5, 0.9})), left_early(entry("libaio", {0.45, 0.9}))}},
      {"one that only screened looked faster",
       {entry("uring", fast), screening(entry("direct", {0.45, 0.48, 0.5, 0.47, 0.46, 0.49}))}},
      {"four are as good",
       {entry("uring", fast), entry("direct", fast), entry("libaio", fast), entry("aio", fast),
        entry("buffered", fast)}},
      {"the pick costs less, as it looks",
       {entry("uring", {0.5, 0.6, 0.5}, {.cpu = 0.1}), entry("direct", {0.5, 0.6, 0.5}, {.cpu = 0.9})}},
      {"trials vary too much", {entry("uring", {1, 9, 1, 9, 1, 9, 1, 9}), entry("direct", {9, 1, 9, 1, 9, 1, 9, 1.5})}},
      {"written over, in memory that was just freed", in_reused_memory()},
      {"most trials met slow memory", mostly_slow_memory()},
      {"files of two sizes", {entry("uring", fast), entry("direct", usual, {.bytes = test::gigabyte / 4})}},
      {"volumes",
       {entry(trial_plan{.method = "uring", .volume = "xfs -d agcount=4, noatime"}, fast),
        entry(trial_plan{.method = "uring", .volume = "ext4"}, usual)}},
  };
}

TEST_F(verdict_screens, tell_whatever_there_is_to_tell) {
  std::string text;
  for (const auto& [words, candidates, measured_class] : all_cases()) {
    const class_verdict verdict = rank_candidates(measured_class, candidates);
    text += fmt::format("[{}]\n{}{}{}\n", words, format_verdict(verdict, {}, format_plan_name),
                        format_measured_figures(verdict, {}, format_plan_name), format_oddities(verdict));
  }
  expect_golden("verdicts.txt", text);
}

TEST_F(verdict_screens, have_rankings_of_fewer_rows) {
  const class_verdict verdict = rank_candidates(io_class::none, slow_at_first());
  expect_golden("ranking", [&](const screen& look) { return format_ranking(verdict, look, format_plan_name, 2); });
}

// In one round, in fewer than decide, and in enough.
TEST_F(verdict_screens, have_words_for_each_comparison) {
  std::string text;
  for (const std::size_t rounds : {1U, 4U, 8U})
    for (const double taken : {0.25, 0.8, 0.99, 1.0, 1.02, 1.3, 11.0}) {
      seconds first;
      for (std::size_t i = 0; i < rounds; ++i) first.push_back(taken * (1 + 0.01 * static_cast<double>(i % 3)));
      const comparison against = compare(entry("uring", first), entry("direct", seconds(rounds, 1)));
      text += fmt::format("{} rounds, {} s against 1 s:", rounds, taken);
      for (const metric which : {metric::ranking, metric::cpu})
        text += fmt::format(" {}, {}{}", describe_result(against, which), format_gain(against, which),
                            which == metric::ranking ? ";" : "\n");
    }
  expect_golden("comparisons.txt", text);
}

}  // namespace
}  // namespace freshet::tool
