// What `tune` answers: names, room on the screen and JSON. Its sentences and tables are held by tune_screens_test.cpp.
#include "tool/report/answer_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/search/class_results.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/search/prediction.hpp"

namespace freshet::tool {
namespace {

using seconds = std::vector<double>;
using test::entry;
using test::mebibyte;

constexpr screen plain{};

const seconds fast(8, 0.5);
const seconds usual(8, 1.0);
const seconds slow(8, 2.0);

candidate baseline(const seconds& taken) { return test::baseline(entry("ofstream", taken)); }

TEST(name_way, is_in_words_of_programmers) {
  EXPECT_EQ(name_way({.method = "uring", .block = 4 * mebibyte, .depth = 2}), "uring 4 MiB x 2");
  EXPECT_EQ(name_way({.method = "direct", .block = 4 * mebibyte, .depth = 1}), "direct 4 MiB");
  EXPECT_EQ(name_way({.method = "ofstream"}), "std::ofstream");
  EXPECT_EQ(name_way({.method = "adaptive"}), "programs by themselves");
  EXPECT_EQ(name_way({.method = "adaptive", .prior = prior_state::profile}), "programs with this profile");
}

TEST(format_arguments, names_what_is_not_usual) {
  EXPECT_EQ(format_arguments({.method = "uring", .block = 16 * mebibyte, .depth = 2}),
            R"({"file", {.method = "uring", .block = 16777216, .depth = 2}})");
  EXPECT_EQ(
      format_arguments({.method = "direct", .block = 4 * mebibyte, .depth = 1, .measured_class = io_class::at_close}),
      R"({"file", {.method = "direct", .durability = freshet::durability::at_close}})");
}

void expect_narrow(const std::string& text) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(answers, fit_a_terminal_of_24_lines) {
  tuning result;
  result.size = test::gigabyte;
  const std::vector<candidate> ways{entry("adaptive", usual), entry("uring-buffered", fast), entry("writebehind", fast),
                                    entry("direct", slow)};
  std::vector<candidate> with_baseline = ways;
  with_baseline.push_back(baseline(slow));
  result.classes = {answered(with_baseline), answered(ways, io_class::cold)};
  const std::string text = format_tuning(result);
  EXPECT_LE(std::ranges::count(text, '\n'), 18) << "beside what comes before and after:\n" << text;
  expect_narrow(text);
}

candidate with_profile(const seconds& taken) {
  return entry(trial_plan{.method = "adaptive", .prior = prior_state::profile}, taken);
}

// Whatever can be said is: smaller files, disturbed trials, answers that are not settled and depend on the size.
tuning make_most_talkative(bool tries_profile = false) {
  tuning result;
  result.size = 4 * test::gigabyte;
  const std::string reason =
      "others wrote to vda meanwhile, 30 % of the trial's bytes: backup-of-the-night 29.6 MiB, "
      "zig 12.9 MiB and 3 more";
  const auto way = [&](const std::string& method, const seconds& taken) {
    candidate made = entry(method, taken);
    made.plan.block = 64 * mebibyte;
    made.plan.depth = 12;
    for (trial_result& each : made.trials) {
      each.plan.block = made.plan.block;
      each.plan.depth = made.plan.depth;
      each.validity = trial_validity::disturbed;
      each.reasons = {reason};
    }
    return made;
  };
  for (const io_class measured_class : {io_class::none, io_class::cold}) {
    candidate early = entry("uring-buffered", {0.2, 0.2});
    early.dropped = "not among the best 3 after 2 rounds";
    const std::vector<candidate> ways{entry("adaptive", usual), way("uring-buffered", fast), way("writebehind", fast),
                                      way("overlapped", slow), early};
    std::vector<candidate> all = ways;
    if (measured_class == io_class::none) all.push_back(baseline(slow));
    if (tries_profile) all.push_back(with_profile({1, 0.4, 1.2, 0.3, 0.9, 0.5, 1.1, 0.8}));
    class_result of = answered(all, measured_class);
    const class_result small =
        answered({entry("adaptive", fast), way("uring-buffered", usual), way("writebehind", usual)}, measured_class);
    of.smaller.push_back({64 * mebibyte, small.verdict, small.candidates});
    result.classes.push_back(of);
  }
  return result;
}

TEST(answers, fit_whatever_they_have_to_say) {
  const tuning result = make_most_talkative();
  for (const class_result& each : result.classes) {
    const class_answer answer = find_answer(each);
    EXPECT_FALSE(answer.is_sure) << "it could say why not";
    EXPECT_FALSE(answer.by_size.empty()) << "it could say for which sizes";
    EXPECT_LT(answer.best->size, result.size) << "it could say that files were smaller";
    EXPECT_GT(each.verdict.disturbed.counted, 0U) << "it could say what disturbed trials";
  }
  const std::string text = format_tuning(result);
  EXPECT_LE(count_lines(text), lines_of_screen) << text;
  expect_narrow(text);
  const std::string conditions = format_conditions(result.classes, result.size);
  EXPECT_EQ(text.find(conditions), text.rfind(conditions)) << "said twice";
  EXPECT_TRUE(text.ends_with(conditions));
}

TEST(answers, fit_with_what_programs_get_by_a_profile) {
  const tuning result = make_most_talkative(true);
  const std::string text = format_tuning(result);
  EXPECT_NE(text.find("Name it in the program"), std::string::npos) << text;
  EXPECT_LE(count_lines(text), lines_of_screen) << text;
  expect_narrow(text);
  EXPECT_NE(format_ways(result.classes.front(), plain, 0).find("programs with this profile"), std::string::npos);
}

TEST(answers, have_fewer_rows_where_there_is_less_room) {
  const tuning result = make_most_talkative();
  const std::size_t all = count_lines(format_tuning(result, plain, false, 100));
  const std::size_t least = count_lines(format_tuning(result, plain, false, 0));
  for (std::size_t lines = least; lines < all; ++lines) {
    const std::string text = format_tuning(result, plain, false, lines);
    EXPECT_LE(count_lines(text), lines) << text;
  }
}

TEST(answers, are_told_in_json) {
  const nlohmann::json json =
      make_advice_json(answered({entry("adaptive", usual), entry("uring", fast), baseline(slow)}));
  EXPECT_EQ(json.at("what"), "profile");
  EXPECT_EQ(json.at("sure"), true);
  EXPECT_EQ(json.at("way").at("method"), "uring");
  EXPECT_EQ(json.at("expected").at("size"), test::gigabyte);
  EXPECT_NEAR(json.at("expected").at("mb_per_second_range").at(1), 2000 * (1 + change_from_minute_to_minute), 1e-6);
  EXPECT_EQ(json.at("by_themselves").at("method"), "adaptive");
  EXPECT_EQ(json.at("gain").at("ratio"), 0.5);
  EXPECT_EQ(json.at("over_baseline").at("ratio"), 0.25);
  EXPECT_EQ(json.at("disturbed").at("counted"), 0);
  EXPECT_TRUE(json.at("with_profile").is_null());
  EXPECT_TRUE(json.at("profile_gain").is_null());
  const nlohmann::json tried = make_advice_json(
      answered({entry("adaptive", usual), entry("uring", seconds(8, 0.4)), with_profile(fast), baseline(slow)}));
  EXPECT_EQ(tried.at("what"), "profile");
  EXPECT_EQ(tried.at("way").at("method"), "uring") << "what the profile names";
  EXPECT_EQ(tried.at("with_profile").at("prior"), "profile");
  EXPECT_EQ(tried.at("profile_gain").at("ratio"), 0.5);
  EXPECT_NEAR(tried.at("expected").at("mb_per_second"), 2000, 1e-6) << "of programs with it";
  EXPECT_EQ(tried.at("over_baseline").at("ratio"), 0.25);
  const nlohmann::json nothing = make_advice_json(answered({}));
  EXPECT_EQ(nothing.at("what"), "none");
  EXPECT_TRUE(nothing.at("way").is_null());
  EXPECT_TRUE(nothing.at("expected").is_null());
}

}  // namespace
}  // namespace freshet::tool
