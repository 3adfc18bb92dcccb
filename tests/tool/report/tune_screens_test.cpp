// All that `tune` shows and answers, held by files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tests/tool/search/class_results.hpp"
#include "tool/report/answer_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/search/prediction.hpp"

namespace freshet::tool {
namespace {

using test::baseline;
using test::mebibyte;
using seconds = std::vector<double>;

class tune_screens : public test::screen_test {};

const seconds fast(8, 0.5);
const seconds usual(8, 1.0);
const seconds slow(8, 2.0);
const seconds varied{1, 1.1, 0.9, 1.05, 0.95, 1, 1.02, 0.98};

candidate way(const trial_plan& plan, const seconds& taken, const test::made_up& like = {.disk = 1.25}) {
  candidate made = test::entry(plan, taken, like);
  made.trials = test::watched(std::move(made.trials));
  return made;
}

candidate by_themselves(const seconds& taken) { return way({.method = "adaptive"}, taken); }
candidate uring(const seconds& taken) { return way({.method = "uring", .block = 4 * mebibyte, .depth = 2}, taken); }
candidate direct(const seconds& taken) { return way({.method = "direct", .block = 4 * mebibyte, .depth = 1}, taken); }
candidate ofstream(const seconds& taken) { return baseline(way({.method = "ofstream"}, taken, {.cpu = 2.75})); }

candidate with_profile(const seconds& taken) {
  return way({.method = "adaptive", .prior = prior_state::profile}, taken);
}

candidate left_early(candidate of) {
  of.dropped = "not among the best 3 after 2 rounds";
  return of;
}

sized_result in_small_files(std::vector<candidate> candidates) {
  const class_result small = answered(std::move(candidates));
  return {64 * mebibyte, small.verdict, small.candidates};
}

// Files of two classes, all that follows from them, and what explains the machine.
tuning whole_tuning() {
  tuning result;
  candidate disturbed = way({.method = "writebehind", .block = 256 << 10}, varied);
  for (std::size_t i = 0; i < 4; ++i) {
    disturbed.trials[i].validity = trial_validity::disturbed;
    disturbed.trials[i].reasons = {"others wrote to vda meanwhile, 30 % of the trial's bytes: bash 29.6 MiB"};
    disturbed.trials[i].written_by_others = {{"bash", 31'037'849}};
  }
  candidate faulty = direct(varied);
  faulty.trials[2].validity = trial_validity::invalid;
  faulty.trials[2].reasons = {"the content differs"};
  faulty.trials[3].seconds_to_close = 4;
  faulty.trials[4].started_quiet = false;
  faulty.trials[5].cpu_stolen = 30;
  class_result writing =
      answered({by_themselves(varied), uring(fast), disturbed, faulty,
                left_early(way({.method = "libaio", .block = 4 * mebibyte}, {0.5, 0.9})), ofstream({2, 2.1, 1.9})});
  writing.smaller.push_back(in_small_files({by_themselves(fast), uring(usual)}));
  writing.refined = answered({uring(fast), way({.method = "uring", .block = 16 * mebibyte, .depth = 4}, varied)});
  writing.programs = {{test::make_trial({.method = "uring"}, 1), test::make_trial({.method = "uring"}, 0.5)}};
  writing.next_file = {.plan = {.method = "uring", .block = 4 * mebibyte, .depth = 2},
                       .size = test::gigabyte,
                       .rate = 1900,
                       .rates = {1500, 2100},
                       .coverage = 0.92,
                       .later = 0.75,
                       .programs = 4};
  writing.end = race_end::time;
  class_result reading =
      answered({by_themselves(varied), way({.method = "mmap", .block = mebibyte}, varied)}, io_class::cold);
  reading.programs.resize(2);
  for (program_files& files : reading.programs) files.first.reasons = {"the content differs"};
  result.classes = {writing, reading};
  result.warm_up = {test::make_trial({.method = "buffered"}, 3)};
  result.order_costs = {uring(fast), uring(usual)};
  result.order_costs.back().plan.ordered = false;
  result.memory = {way({.method = "buffered", .block = mebibyte}, {2}),
                   way({.method = "buffered", .block = mebibyte}, {1})};
  result.slowed = {.share = 0.25, .significance = 0.01};
  result.size = 4 * test::gigabyte;
  result.bytes_written = 70 * test::gigabyte;
  result.seconds = 60.5;
  result.failure = "No space left on device";
  return result;
}

TEST_F(tune_screens, answer_with_tables_and_sentences) {
  const auto draw = [](const screen& look) { return format_tuning(whole_tuning(), look); };
  expect_golden("tune", draw);
  expect_golden_colours("tune", draw);
}

TEST_F(tune_screens, have_all_figures_as_details) {
  const auto draw = [](const screen& look) { return format_tuning(whole_tuning(), look, true); };
  expect_golden("tune-details", draw);
  expect_golden_colours("tune-details", draw);
}

class_result slow_memory() {
  std::vector<candidate> candidates{by_themselves(usual), uring(fast)};
  for (const char* const method : {"direct", "libaio"})
    candidates.push_back(way({.method = method}, {1.1, 1.2}, {.met_slow_memory = true}));
  return answered(std::move(candidates), io_class::each_write);
}

// What is said of three questions, none of which has a table of ways.
tuning open_tuning() {
  tuning result;
  class_result undecided =
      answered({by_themselves(usual), uring({1.5, 0.7, 1.5, 0.7, 1, 1}), direct({1.4, 0.6, 1.6, 0.8, 1, 1.1})});
  undecided.programs.resize(1, {test::make_trial({.method = "uring"}, 1), test::make_trial({.method = "uring"}, 0.5)});
  class_result durable = answered({by_themselves(usual), uring(fast), direct(fast)}, io_class::at_close);
  durable.next_file = {.plan = {.method = "direct", .measured_class = io_class::at_close},
                       .size = test::gigabyte,
                       .rate = 1000,
                       .rates = {900, 1100},
                       .coverage = 0.7,
                       .programs = 3};
  class_result each_write = slow_memory();
  each_write.next_file = durable.next_file;
  each_write.next_file->plan = {
      .method = "adaptive", .measured_class = io_class::each_write, .prior = prior_state::profile};
  result.classes = {undecided, durable, each_write, answered({}, io_class::cold)};
  result.size = test::gigabyte;
  return result;
}

TEST_F(tune_screens, have_no_tables_of_more_than_two_questions) {
  expect_golden("tune-open", [](const screen& look) { return format_tuning(open_tuning(), look); });
  expect_golden("tune-open-details", [](const screen& look) { return format_tuning(open_tuning(), look, true); });
}

TEST_F(tune_screens, have_all_in_json) {
  nlohmann::json json = make_json(whole_tuning());
  json["trials"].erase(json["trials"].begin() + 1, json["trials"].end());  // the first one tells of all
  expect_golden_json("tune", json);
}

/// A case of what was measured, in words.
struct answer_case {
  std::string_view words;
  class_result of;
};

class_result failed(io_class measured_class) {
  class_result none = answered({}, measured_class);
  none.verdict.left_out["the cache drop failed"] = 3;
  return none;
}

std::vector<answer_case> all_answers() {
  std::vector<answer_case> all{
      {"nothing is better than what programs do by themselves",
       answered({by_themselves(usual), uring(usual), ofstream(slow)})},
      {"the best way is a little slower", answered({by_themselves(usual), uring(seconds(8, 1.03))})},
      {"the best way is clearly slower", answered({by_themselves(usual), uring(slow)})},
      {"the best way is a little faster", answered({by_themselves(seconds(8, 1.03)), uring(usual)})},
      {"the best way varies", answered({by_themselves(varied), uring({1.2, 0.7, 1.1, 0.8, 1.4, 0.9})})},
      {"the best way may be faster",
       answered({by_themselves({1, 1.4, 0.8, 1.1, 0.7, 1.2}), uring({1.2, 0.7, 1.1, 0.8, 1.4, 0.9})})},
      {"a way is faster", answered({by_themselves(usual), uring(fast), ofstream(slow)})},
      {"two ways are faster, and alike", answered({by_themselves(usual), uring(fast), direct(fast)})},
      {"a way is faster, and durable", answered({by_themselves(usual), uring(fast)}, io_class::at_close)},
      {"a way is faster, and durable block by block",
       answered({by_themselves(usual), uring(fast)}, io_class::each_write)},
      {"a way reads faster", answered({by_themselves(usual), uring(fast)}, io_class::cold)},
      {"a way reads faster from memory", answered({by_themselves(usual), uring(fast)}, io_class::warm)},
      {"a way is faster, but costs more",
       answered({by_themselves(usual), way({.method = "uring"}, fast, {.cpu = 3}), ofstream(slow)})},
      {"a way is faster, but loses with small files", answered({by_themselves(usual), uring(fast)})},
      {"few rounds", answered({by_themselves({1, 1.1}), uring({0.9, 1})})},
      {"one that left early looked faster",
       answered({by_themselves(usual), uring(fast), left_early(direct({0.3, 0.3}))})},
      {"what programs do by themselves was not measured", answered({uring(fast), direct(usual)})},
      {"nothing else was measured", answered({by_themselves(usual)})},
      {"new memory was slow for some trials", slow_memory()},
      {"nothing was measured", answered({}, io_class::cold)},
      {"all trials failed", failed(io_class::none)},
      {"programs gain by a profile",
       answered({by_themselves(usual), with_profile(seconds(8, 0.6)), uring(fast), ofstream(slow)})},
      {"programs gain by a profile while they read",
       answered({by_themselves(usual), with_profile(seconds(8, 0.6)), uring(fast)}, io_class::cold)},
      {"only programs with a profile are faster", answered({by_themselves(usual), with_profile(fast), uring(usual)})},
      {"a way is faster, but a profile of it is not",
       answered({by_themselves(usual), with_profile(usual), uring(fast), ofstream(slow)})},
      {"a way is faster, but a profile of it loses with small files",
       answered({by_themselves(usual), with_profile(fast), uring(fast), ofstream(slow)})},
      {"a profile pays in large files only", answered({by_themselves(usual), with_profile(fast), uring(fast)})},
      {"nothing is gained by a profile",
       answered({by_themselves(usual), with_profile(seconds(8, 1.02)), uring(seconds(8, 0.97))})},
      {"programs with a profile vary",
       answered({by_themselves(usual), with_profile({1.2, 0.5, 1.4, 0.4, 0.9, 1.1}), uring(fast)})},
      {"programs with a profile had few rounds",
       answered({by_themselves(usual), with_profile({0.5, 0.5}), uring(fast)})},
      {"there was no time to try a profile", answered({by_themselves(usual), uring(fast)})},
  };
  all[25].of.smaller.push_back(in_small_files({by_themselves(fast), with_profile(usual)}));
  all[26].of.smaller.push_back(in_small_files({by_themselves(usual), with_profile(usual)}));
  for (std::size_t i = 21; i < all.size(); ++i) all[i].of.needs_profile_tried = true;
  all[13].of.smaller.push_back(in_small_files({by_themselves(fast), uring(usual)}));
  return all;
}

TEST_F(tune_screens, have_an_answer_to_whatever_was_measured) {
  std::string text;
  std::string answers;
  for (const auto& [words, of] : all_answers()) {
    text += fmt::format("[{}]\n{}{}\n", words, format_advice(of, {}), format_ways(of, {}));
    answers += fmt::format("[{}]\n{}\n", words, test::with_nine_digits(make_advice_json(of).dump()));
  }
  expect_golden("answers.txt", text);
  expect_golden("answers.json", answers);
}

TEST_F(tune_screens, name_the_conditions_of_their_answers) {
  const class_result full = answered({by_themselves(usual), uring(usual)});
  const class_result reading = answered({by_themselves(usual)}, io_class::cold);
  class_result larger = full;
  for (ranked_candidate& each : larger.verdict.ranking) each.size = 4 * test::gigabyte;
  const std::vector<class_result> disturbed = whole_tuning().classes;
  EXPECT_EQ(format_conditions(std::vector{full, full}, test::gigabyte), "");
  expect_golden("conditions.txt", format_conditions(std::vector{full, reading}, 4 * test::gigabyte) +
                                      format_conditions(std::vector{larger, reading}, 4 * test::gigabyte) +
                                      format_conditions(disturbed, test::gigabyte));
}

TEST_F(tune_screens, begin_with_what_the_device_takes) {
  const machine_rate known{.rate = 2300, .way = "uring 4 MiB x 2", .measured = "2026-03-12T23:59:00Z", .trials = 6};
  std::string text;
  for (const std::vector<class_result>& classes :
       {std::vector{answered({by_themselves(usual), uring(fast)})}, std::vector{answered({uring(fast)})},
        std::vector{answered({})}, std::vector{answered({uring(fast)}, io_class::cold)}}) {
    tuning result;
    result.classes = classes;
    text += format_machine_figures(make_machine_figures(known, result), "2026-11-29T12:00:00Z");
  }
  expect_golden("tune-machine.txt", text);
}

TEST_F(tune_screens, show_their_progress_in_a_line) {
  const candidate best = uring(fast);
  expect_golden("progress.txt", describe_progress(direct(usual).plan, nullptr) + '\n' +
                                    describe_progress(direct(usual).plan, &best) + '\n' + describe_best(best) + '\n');
}

}  // namespace
}  // namespace freshet::tool
