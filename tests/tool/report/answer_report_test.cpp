// What `tune` answers, as sentences, tables and JSON.
#include "tool/report/answer_report.hpp"

#include <gmock/gmock.h>

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
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t one_gigabyte = 1'000'000'000;
constexpr screen plain{};

const seconds fast(8, 0.5);
const seconds usual(8, 1.0);
const seconds slow(8, 2.0);

candidate baseline(const seconds& taken) { return test::baseline(entry("ofstream", taken)); }

// Without the line breaks.
std::string unbroken(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.find("  ") != std::string::npos) text.erase(text.find("  "), 1);
  return text;
}

std::string advice_of(const class_result& of) { return unbroken(format_advice(of, plain)); }
std::string conditions_of(const std::vector<class_result>& classes, std::uint64_t size = one_gigabyte) {
  return unbroken(format_conditions(classes, size));
}

TEST(advice, is_to_change_nothing_where_programs_get_the_best_by_themselves) {
  const std::string text = advice_of(answered({entry("adaptive", usual), entry("uring", usual), baseline(slow)}));
  EXPECT_THAT(
      text,
      HasSubstr("To write new files, change nothing: programs get 1.0 GB/s by themselves; uring, the best method, is "
                "about as fast (0.91-1.09). Sure. What programs get is 2 x faster (1.83-2.2) than std::ofstream."));
}

TEST(advice, says_how_far_the_best_method_is) {
  EXPECT_THAT(advice_of(answered({entry("adaptive", usual), entry("uring", seconds(8, 1.03))})),
              HasSubstr("uring, the best method, may be 1.03 x slower ("));
  EXPECT_THAT(advice_of(answered({entry("adaptive", seconds(8, 1.03)), entry("uring", usual)})),
              HasSubstr("uring, the best method, may be 1.03 x faster ("));
}

TEST(advice, is_the_profile_where_a_way_is_faster) {
  EXPECT_THAT(
      advice_of(answered({entry("adaptive", usual), entry("uring", fast)})),
      HasSubstr("To write new files, use uring: 2.0 GB/s, 2 x faster (1.78-2.2) than what programs get by themselves. "
                "Sure."));
}

TEST(advice, is_a_line_of_code_where_small_files_would_lose) {
  class_result of = answered({entry("adaptive", usual), entry("uring", fast)});
  const class_result small = answered({entry("adaptive", fast), entry("uring", usual)});
  of.smaller.push_back({64 * mebibyte, small.verdict, small.candidates});
  const std::string text = advice_of(of);
  EXPECT_THAT(text, HasSubstr(R"(Name it in the program, {"file", {.method = "uring")"));
  EXPECT_THAT(text, HasSubstr(": the profile does not, because files of 64 MiB would lose."));
  EXPECT_THAT(text, HasSubstr("Up to 64 MiB: programs by themselves, 2.0 GB/s; beyond: uring, 2.0 GB/s."));
}

TEST(advice, does_not_contradict_itself_where_it_is_not_sure) {
  EXPECT_THAT(
      advice_of(answered({entry("adaptive", {1, 1.1}), entry("uring", {0.9, 1})})),
      testing::MatchesRegex("To write new files, change nothing for now: programs get 95. MB/s by themselves. Not "
                            "sure: uring may be 1.1[01] x faster .*, after 2 of at least 6 rounds.*"));
  candidate early = entry("direct", {0.3, 0.3});
  early.dropped = "not among the best 3 after 2 rounds";
  EXPECT_THAT(advice_of(answered({entry("adaptive", usual), entry("uring", fast), early})),
              HasSubstr("Not sure: direct may be faster, and needs 6 rounds beside uring."));
  EXPECT_THAT(advice_of(answered(
                  {entry("adaptive", {1, 1.4, 0.8, 1.1, 0.7, 1.2}), entry("uring", {1.2, 0.7, 1.1, 0.8, 1.4, 0.9})})),
              HasSubstr("Not sure: uring may be "));
}

TEST(conditions, say_once_if_the_files_were_smaller) {
  const class_result of = answered({entry("adaptive", usual), entry("uring", usual)});
  EXPECT_EQ(conditions_of({of, of}), "");
  EXPECT_EQ(conditions_of({of, of}, 4 * one_gigabyte),
            "Measured with files of 954 MiB, the largest for which time, bytes and space were enough. ");
  const class_result read = answered({entry("adaptive", usual)}, io_class::cold);
  class_result larger = of;
  for (ranked_candidate& each : larger.verdict.ranking) each.size = 4 * one_gigabyte;
  EXPECT_THAT(conditions_of({larger, read}, 4 * one_gigabyte), HasSubstr("Reading was measured with files of 954 MiB"));
}

TEST(conditions, name_once_what_disturbed_trials_that_count) {
  std::vector<candidate> ways{entry("adaptive", usual), entry("uring", usual)};
  for (candidate& each : ways)
    for (std::size_t i = 0; i < 4; ++i) {
      each.trials[i].validity = trial_validity::disturbed;
      each.trials[i].reasons = {"others wrote to vda meanwhile, 30 % of the trial's bytes: bash 29.6 MiB"};
    }
  const class_result of = answered(std::move(ways));
  const std::string text = conditions_of({of, of});
  EXPECT_THAT(text,
              HasSubstr("Disturbed trials that count for want of others: 16 of 32 (others wrote to vda meanwhile"));
  EXPECT_THAT(text, HasSubstr("bash"));
  EXPECT_EQ(text.find("Disturbed"), text.rfind("Disturbed"));
}

TEST(advice, says_why_nothing_was_measured) {
  class_result of = answered({}, io_class::cold);
  EXPECT_EQ(advice_of(of),
            "To read files that are not in memory: not measured, because there was no time or space for it. ");
  of.verdict.left_out["the cache drop failed"] = 3;
  EXPECT_THAT(advice_of(of), HasSubstr("because the cache drop failed."));
}

TEST(name_way, is_in_words_of_programmers) {
  EXPECT_EQ(name_way({.method = "uring", .block = 4 * mebibyte, .depth = 2}), "uring 4 MiB x 2");
  EXPECT_EQ(name_way({.method = "direct", .block = 4 * mebibyte, .depth = 1}), "direct 4 MiB");
  EXPECT_EQ(name_way({.method = "ofstream"}), "std::ofstream");
  EXPECT_EQ(name_way({.method = "adaptive"}), "programs by themselves");
}

TEST(format_arguments, names_what_is_not_usual) {
  EXPECT_EQ(format_arguments({.method = "uring", .block = 16 * mebibyte, .depth = 2}),
            R"({"file", {.method = "uring", .block = 16777216, .depth = 2}})");
  EXPECT_EQ(
      format_arguments({.method = "direct", .block = 4 * mebibyte, .depth = 1, .measured_class = io_class::at_close}),
      R"({"file", {.method = "direct", .durability = freshet::durability::at_close}})");
}

TEST(format_ways, has_seconds_of_one_file_and_what_to_expect_of_the_next) {
  const std::string text =
      format_ways(answered({entry("adaptive", {1, 1.25, 1, 1, 1, 0.8}), entry("uring", slow), baseline(slow)}), plain);
  EXPECT_THAT(text, HasSubstr("Write a new file of 954 MiB"));
  EXPECT_THAT(text, testing::ContainsRegex("programs by themselves +1000 +720-1380 +1.00 "));
  EXPECT_THAT(text, testing::ContainsRegex("std::ofstream +500 +450-550 +2.00 "));
}

void expect_narrow(const std::string& text) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(answers, fit_a_terminal_of_24_lines) {
  tuning result;
  result.size = one_gigabyte;
  const std::vector<candidate> ways{entry("adaptive", usual), entry("uring-buffered", fast), entry("writebehind", fast),
                                    entry("direct", slow)};
  std::vector<candidate> with_baseline = ways;
  with_baseline.push_back(baseline(slow));
  result.classes = {answered(with_baseline), answered(ways, io_class::cold)};
  const std::string text = format_tuning(result);
  EXPECT_LE(std::ranges::count(text, '\n'), 18) << "beside what comes before and after:\n" << text;
  expect_narrow(text);
}

// Whatever can be said is: smaller files, disturbed trials, answers that are not settled and depend on the size.
tuning make_most_talkative() {
  tuning result;
  result.size = 4 * one_gigabyte;
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
  const std::string text = format_tuning(result);
  for (const char* const each : {"Not sure", "beyond:", "Measured with files of", "Disturbed trials"})
    ASSERT_THAT(text, HasSubstr(each)) << "it could say more:\n" << text;
  EXPECT_LE(count_lines(text), lines_of_screen) << text;
  expect_narrow(text);
  EXPECT_EQ(text.find("Disturbed trials"), text.rfind("Disturbed trials"));
  EXPECT_EQ(text.find("Measured with"), text.rfind("Measured with"));
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
  EXPECT_EQ(json.at("expected").at("size"), one_gigabyte);
  EXPECT_NEAR(json.at("expected").at("mb_per_second_range").at(1), 2000 * (1 + change_from_minute_to_minute), 1e-6);
  EXPECT_EQ(json.at("by_themselves").at("method"), "adaptive");
  EXPECT_EQ(json.at("gain").at("ratio"), 0.5);
  EXPECT_EQ(json.at("over_baseline").at("ratio"), 0.25);
  EXPECT_EQ(json.at("disturbed").at("counted"), 0);
  const nlohmann::json nothing = make_advice_json(answered({}));
  EXPECT_EQ(nothing.at("what"), "none");
  EXPECT_TRUE(nothing.at("way").is_null());
  EXPECT_TRUE(nothing.at("expected").is_null());
}

}  // namespace
}  // namespace freshet::tool
