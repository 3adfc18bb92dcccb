// Verdicts on a terminal: widths, bars, signs and colours.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tool/report/answer_report.hpp"
#include "tool/report/bench_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

using test::entry;
using test::make_trials;

constexpr screen ascii{};
constexpr screen unicode{.unicode = true};
constexpr screen coloured{.colours = true, .unicode = true};
constexpr std::uint64_t size = 1'000'000'000;

const test::made_up usual{.bytes = size, .disk = 1.1};

std::vector<candidate> long_names() {
  const trial_plan longest{.method = "uring-buffered",
                           .block = std::size_t{256} << 10,
                           .depth = 64,
                           .reserve = true,
                           .ordered = false,
                           .size_ahead = true,
                           .target = target_kind::overwrite,
                           .memory = memory_state::recycled,
                           .size = size,
                           .jobs = 16};
  const trial_plan other{.method = "writebehind", .block = std::size_t{256} << 10, .size = size};
  const trial_plan third{.method = "direct", .block = std::size_t{4} << 20, .size = size};
  return {entry(longest, {1, 1.1, 0.9, 1.05, 0.95, 1}, usual), entry(other, {1.02, 1.1, 0.93, 1.0, 0.9, 1}, usual),
          entry(third, {2.02, 2.1, 1.93, 2.0, 1.9, 2}, usual)};
}

tuning tuning_of(const std::vector<candidate>& candidates) {
  class_result writing;
  writing.verdict = rank_candidates(io_class::none, candidates);
  writing.candidates = candidates;
  writing.end = race_end::time;
  tuning result;
  result.classes.push_back(writing);
  result.order_costs = candidates;
  result.size = size;
  result.seconds = 60;
  return result;
}

void expect_to_fit(const std::string& text, std::size_t columns = 80) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), columns) << "wider than a terminal: " << line;
}

TEST(display_width, counts_characters_but_not_colours) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("━━┅"), 3U);
  EXPECT_EQ(display_width("\x1b[32m━━\x1b[0m é"), 4U);
}

TEST(shortened, cuts_between_characters_and_marks_the_cut) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("longer", 5), "long~");
  EXPECT_EQ(shortened("léngér", 5, unicode), "léng…");
  EXPECT_EQ(shortened("a\nb\x1b[2Jc", 80), "a?b?[2Jc");  // a file's name must not clear the screen
}

TEST(wrapped, indents_all_lines_but_the_first) {
  EXPECT_EQ(wrapped("one two three", 2, 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("incompressible word", 2, 8), "incompressible\n  word\n");
  EXPECT_EQ(wrapped("━━━ ━━━━", 2, 8), "━━━ ━━━━\n");
}

TEST(fitted, goes_on_below_the_last_column) {
  EXPECT_EQ(fitted("short\n  --size N    Bytes of each file and more words\n", 30),
            "short\n  --size N    Bytes of each\n              file and more\n              words\n");
  EXPECT_EQ(fitted("Files lie on ext4 here, mounted on / with rw", 30),
            "Files lie on ext4 here,\n  mounted on / with rw");
  EXPECT_EQ(fitted("fits", 4), "fits");
  EXPECT_EQ(fitted("", 4), "");
}

TEST(painted, is_plain_without_colours) {
  EXPECT_EQ(painted("x", colour::good, ascii), "x");
  EXPECT_EQ(painted("x", colour::good, coloured), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(painted("x", colour::none, coloured), "x");
  EXPECT_EQ(painted("", colour::good, coloured), "");
}

TEST(bar, shows_its_interval) {
  EXPECT_EQ(bar({80, 100}, 100, 10, unicode), "━━━━━━━━┅┅");
  EXPECT_EQ(bar({40, 60}, 100, 10, ascii), "####--");
  EXPECT_EQ(bar({50, 50}, 100, 10, ascii), "#####");
  EXPECT_EQ(bar({0.1, 0.2}, 100, 10, ascii), "#");  // a small value is still visible
  EXPECT_EQ(bar({0, 0}, 100, 10, ascii), "");
}

TEST(table, cuts_only_columns_that_may_be_cut) {
  using enum table::side;
  table list{{{"name", left, true}, {"figure"}}};
  list.add({"a name of 21 columns", "12345678"});
  EXPECT_EQ(list.text(), "name                    figure\na name of 21 columns  12345678\n");
  EXPECT_EQ(list.text(20), "name          figure\na name of~  12345678\n");
  EXPECT_EQ(list.width(), 30U);
}

TEST(table, leaves_columns_out_before_it_cuts_names_beyond_recognition) {
  using enum table::side;
  table list{{{"name", left, true}, {"time"}, {"CPU", right, false, true}, {"trials", right, false, true}}};
  list.add({"a name of 21 columns", "1.00", "0.1", "7"});
  EXPECT_EQ(list.text(39), "name                  time  CPU  trials\na name of 21 columns  1.00  0.1       7\n");
  EXPECT_EQ(list.text(38), "name                  time  CPU\na name of 21 columns  1.00  0.1\n");
  EXPECT_EQ(list.text(30), "name                  time\na name of 21 columns  1.00\n");
  EXPECT_EQ(list.text(20), "name            time\na name of 21 ~  1.00\n");
}

TEST(table, folds_and_repeats_its_lead_columns) {
  table list{{{"k"}, {"aaaa"}, {"bbbb"}}};
  list.add({"1", "2", "3"});
  EXPECT_EQ(list.folded(1, 13), "k  aaaa  bbbb\n1     2     3\n");
  EXPECT_EQ(list.folded(1, 12), "k  aaaa\n1     2\nk  bbbb\n1     3\n");
}

TEST(table, aligns_cells_with_colours) {
  using enum table::side;
  table list{{{"", left}, {"MB/s"}}};
  list.add({painted("━━", colour::good, coloured), "12"});
  list.add({"####", "3"});
  EXPECT_EQ(list.text(), "      MB/s\n\x1b[32m━━\x1b[0m      12\n####     3\n");
}

TEST(tune_report, fits_a_terminal) {
  for (const screen& look : {ascii, unicode, coloured}) {
    expect_to_fit(format_tuning(tuning_of(long_names()), look));
    std::vector<candidate> mixed = long_names();
    for (trial_result& trial : mixed[2].trials) trial.plan.size = trial.bytes = size / 4;
    for (const bool details : {false, true}) expect_to_fit(format_tuning(tuning_of(mixed), look, details));
  }
}

TEST(tune_report, has_tables_for_two_questions_only) {
  tuning result = tuning_of(long_names());
  result.classes.resize(2, result.classes.front());
  const std::string table = format_ways(result.classes.front(), ascii);
  EXPECT_NE(format_tuning(result, ascii, false, 100).find(table), std::string::npos);
  result.classes.resize(3, result.classes.front());
  EXPECT_EQ(format_tuning(result, ascii, false, 100).find(table), std::string::npos);
}

TEST(tune_report, has_the_same_text_without_colours) {
  const std::string with = format_tuning(tuning_of(long_names()), coloured);
  std::string plain;
  bool escape = false;
  for (const char c : with) {
    if (c == '\x1b') escape = true;
    if (!escape) plain += c;
    if (c == 'm') escape = false;
  }
  EXPECT_NE(with, plain);
  EXPECT_EQ(format_tuning(tuning_of(long_names()), unicode), plain);
}

TEST(tune_report, is_ascii_where_the_locale_is) {
  const std::string text = format_tuning(tuning_of(long_names()), ascii, true);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << text;
}

std::vector<candidate> bench_rows() {
  const trial_plan fast{.method = "uring", .block = std::size_t{4} << 20, .depth = 2, .size = size};
  const trial_plan slow{.method = "buffered", .block = std::size_t{256} << 10, .size = size};
  const trial_plan broken{.method = "mmap", .block = std::size_t{1} << 20, .size = size};
  const trial_plan null{.method = "null", .size = size};
  return {{.plan = slow, .trials = make_trials(slow, {2, 2.1, 1.9, 2, 2, 2}, usual)},
          {.plan = fast, .trials = make_trials(fast, {1, 1.1, 0.9, 1, 1, 1}, usual)},
          {.plan = broken, .trials = make_trials(broken, {0.1, 0.1, 0.1}, {.invalid = "the content differs"})},
          {.plan = null, .trials = make_trials(null, {0.01, 0.01, 0.01}, usual)},
          {.plan = {.method = "aio"}, .dropped = "the kernel has none"}};
}

std::vector<std::string> ranked_methods(const std::vector<candidate>& rows) {
  std::vector<std::string> methods;
  const nlohmann::json verdict = bench_verdicts(rows).at(0);
  for (const nlohmann::json& each : verdict.at("ranking")) methods.push_back(each.at("plan").at("method"));
  return methods;
}

TEST(bench_report, never_ranks_an_invalid_plan_nor_the_generator) {
  std::vector<candidate> rows = bench_rows();
  EXPECT_THAT(ranked_methods(rows), testing::ElementsAre("uring", "buffered"));
  rows.erase(rows.begin(), rows.begin() + 2);
  EXPECT_THAT(ranked_methods(rows), testing::IsEmpty());
  EXPECT_TRUE(bench_verdicts(rows).at(0).at("answer").is_null());
}

TEST(bench_report, fits_a_terminal) {
  std::vector<candidate> rows;
  for (const candidate& entry : long_names()) rows.push_back({.plan = entry.plan, .trials = entry.trials});
  for (const screen& look : {ascii, unicode, coloured}) {
    expect_to_fit(format_bench(bench_rows(), look));
    expect_to_fit(format_bench(rows, look));
  }
}

}  // namespace
}  // namespace freshet::tool
