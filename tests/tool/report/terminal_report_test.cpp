// Verdicts on a terminal: widths, bars, signs and colours.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tool/report/bench_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr screen ascii{};
constexpr screen unicode{.unicode = true};
constexpr screen coloured{.colours = true, .unicode = true};
constexpr std::uint64_t size = 1'000'000'000;

trial_result make_trial(const trial_plan& plan, unsigned round, double seconds) {
  trial_result trial;
  trial.plan = plan;
  trial.plan.size = trial.bytes = size;
  trial.round = round;
  trial.seconds_to_close = seconds;
  trial.seconds_to_disk = seconds * 1.1;
  trial.cpu_whole = 0.5;
  trial.device_writes = 1000;
  trial.extents = 2;
  return trial;
}

std::vector<trial_result> make_trials(const trial_plan& plan, const std::vector<double>& seconds) {
  std::vector<trial_result> all;
  for (const double one : seconds) all.push_back(make_trial(plan, static_cast<unsigned>(all.size()), one));
  return all;
}

std::vector<trial_result> invalid(std::vector<trial_result> all, const std::string& reason) {
  for (trial_result& trial : all) {
    trial.validity = trial_validity::invalid;
    trial.reasons = {reason};
  }
  return all;
}

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
  return {{.plan = longest, .trials = make_trials(longest, {1, 1.1, 0.9, 1.05, 0.95, 1})},
          {.plan = other, .trials = make_trials(other, {1.02, 1.1, 0.93, 1.0, 0.9, 1})},
          {.plan = third, .trials = make_trials(third, {2.02, 2.1, 1.93, 2.0, 1.9, 2})}};
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

std::string line_with(const std::string& text, const std::string& words) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.find(words) != std::string::npos) return line;
  return {};
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

TEST(tune_report, has_bars_and_signs) {
  std::vector<candidate> candidates = long_names();
  candidates[0].plan = {.method = "uring", .block = std::size_t{4} << 20, .depth = 2, .size = size};
  for (trial_result& trial : candidates[0].trials) trial.plan = candidates[0].plan;
  const trial_plan early{.method = "libaio", .block = std::size_t{4} << 20, .size = size};
  candidates.push_back({.plan = early, .trials = make_trials(early, {1.1, 1.2}), .dropped = "not among the best"});
  const std::string text = format_tuning(tuning_of(candidates), unicode, true);
  EXPECT_THAT(text, HasSubstr("━"));
  EXPECT_THAT(text, HasSubstr("┅"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\n>  "));
  EXPECT_THAT(text, HasSubstr("\n=  "));
  EXPECT_THAT(text, HasSubstr("\n?  libaio"));
  EXPECT_THAT(line_with(text, "direct 4 MiB "), HasSubstr("   direct"));
}

TEST(tune_report, has_the_answer_of_the_other_state_of_memory) {
  std::vector<candidate> candidates = long_names();
  EXPECT_THAT(format_tuning(tuning_of(candidates), ascii, true), Not(HasSubstr("While new memory")));
  for (const char* const method : {"direct", "libaio"}) {
    candidates.push_back({.plan = {.method = method}, .trials = make_trials({.method = method}, {1.1, 1.2})});
    for (trial_result& trial : candidates.back().trials) trial.met_slow_memory = true;
  }
  EXPECT_THAT(format_tuning(tuning_of(candidates), ascii, true),
              HasSubstr("While new memory was slow to touch: to write new files, "));
}

TEST(tune_report, says_why_there_is_no_prediction) {
  tuning result = tuning_of(long_names());
  EXPECT_THAT(format_tuning(result, ascii, true), Not(HasSubstr("first file")));
  std::vector<program_files>& programs = result.classes.front().programs;
  programs.resize(2);
  for (program_files& files : programs) files.first.reasons = {"the content differs"};
  EXPECT_THAT(format_tuning(result, ascii, true), HasSubstr("2 of 2 programs that"));
}

std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(tune_report, says_what_programs_get_only_with_details) {
  tuning result = tuning_of(long_names());
  result.classes.front().verdict.measured_class = io_class::at_close;
  result.classes.front().next_file = {.plan = {.method = "direct", .measured_class = io_class::at_close},
                                      .size = size,
                                      .rate = 1000,
                                      .rates = {900, 1100},
                                      .programs = 4};
  EXPECT_THAT(format_tuning(result, ascii), Not(HasSubstr("first file")));
  EXPECT_THAT(in_one_line(format_tuning(result, ascii, true)), HasSubstr("by direct, durable at close(), will"));
}

TEST(tune_report, ends_with_the_answers) {
  tuning result = tuning_of(long_names());
  result.classes.push_back(result.classes.front());
  result.classes.back().verdict.measured_class = io_class::cold;
  for (const bool details : {false, true}) {
    const std::string text = format_tuning(result, ascii, details);
    EXPECT_EQ(text.find("== ") != std::string::npos, details);
    EXPECT_LT(text.rfind("\nWrite a new file of "), text.find("To write new files, "));
    EXPECT_LT(text.find("To write new files, "), text.find("To read files that are not in memory, "));
    EXPECT_LT(text.rfind("== ") + 1, text.find("To write new files, ") + 1);
  }
}

TEST(tune_report, has_tables_for_two_questions_only) {
  tuning result = tuning_of(long_names());
  EXPECT_THAT(format_tuning(result, ascii), HasSubstr("Write a new file of "));
  result.classes.resize(3, result.classes.front());
  EXPECT_THAT(format_tuning(result, ascii), Not(HasSubstr("Write a new file of ")));
}

TEST(tune_report, says_what_an_undecided_verdict_needs) {
  std::vector<candidate> candidates = long_names();
  candidates[0].trials = make_trials(candidates[0].plan, {1.5, 0.7, 1.5, 0.7, 1, 1});
  EXPECT_THAT(format_tuning(tuning_of(candidates), ascii, true), HasSubstr("more rounds would decide"));
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
  EXPECT_THAT(text, HasSubstr("##"));
}

TEST(tune_report, reports_invalid_trials_and_outliers) {
  std::vector<candidate> candidates = long_names();
  candidates[1].trials.push_back(invalid({make_trial(candidates[1].plan, 5, 1)}, "the content differs").front());
  candidates[0].trials.push_back(make_trial(candidates[0].plan, 5, 7));
  const std::string text = format_tuning(tuning_of(candidates), ascii, true);
  EXPECT_THAT(text, HasSubstr("Left out: 1 invalid, the content differs"));
  EXPECT_THAT(text, HasSubstr("1 outlier, still counted: "));
  expect_to_fit(text);
}

std::vector<candidate> bench_rows() {
  const trial_plan fast{.method = "uring", .block = std::size_t{4} << 20, .depth = 2, .size = size};
  const trial_plan slow{.method = "buffered", .block = std::size_t{256} << 10, .size = size};
  const trial_plan broken{.method = "mmap", .block = std::size_t{1} << 20, .size = size};
  const trial_plan null{.method = "null", .size = size};
  const trial_plan missing{.method = "aio"};
  return {{.plan = slow, .trials = make_trials(slow, {2, 2.1, 1.9, 2, 2, 2})},
          {.plan = fast, .trials = make_trials(fast, {1, 1.1, 0.9, 1, 1, 1})},
          {.plan = broken, .trials = invalid(make_trials(broken, {0.1, 0.1, 0.1}), "the content differs")},
          {.plan = null, .trials = make_trials(null, {0.01, 0.01, 0.01})},
          {.plan = missing, .dropped = "the kernel has none"}};
}

TEST(bench_report, ranks_valid_plans) {
  const std::string text = format_bench(bench_rows(), unicode);
  EXPECT_THAT(text, HasSubstr("To write new files, use uring 4 MiB x 2: 1.0 GB/s"));
  EXPECT_THAT(line_with(text, ">  "), HasSubstr("uring 4 MiB x 2"));
  EXPECT_THAT(text, HasSubstr("\n!  mmap 1 MiB"));
  EXPECT_THAT(text, HasSubstr("! mmap 1 MiB: invalid: the content differs"));
  EXPECT_THAT(text, HasSubstr("! aio: not measured: the kernel has none"));
  EXPECT_THAT(text, HasSubstr("Left out: 3 invalid, the content differs"));
  EXPECT_THAT(text, HasSubstr("━"));
  for (const screen& look : {ascii, unicode, coloured}) expect_to_fit(format_bench(bench_rows(), look));
}

TEST(bench_report, never_ranks_an_invalid_plan) {
  std::vector<candidate> rows = bench_rows();
  rows.erase(rows.begin(), rows.begin() + 2);
  const std::string text = format_bench(rows, unicode);
  EXPECT_THAT(text, Not(HasSubstr("To write new files")));
  EXPECT_THAT(text, Not(HasSubstr(">  ")));
  EXPECT_THAT(text, HasSubstr("!  mmap 1 MiB"));
}

TEST(bench_report, fits_a_terminal_with_long_names) {
  std::vector<candidate> rows;
  for (const candidate& entry : long_names()) rows.push_back({.plan = entry.plan, .trials = entry.trials});
  for (const screen& look : {ascii, unicode, coloured}) expect_to_fit(format_bench(rows, look));
}

TEST(describe_progress, names_the_running_plan_and_the_best_so_far) {
  const std::vector<candidate> candidates = long_names();
  EXPECT_EQ(describe_progress(candidates[2].plan, nullptr), "none: direct 4 MiB");
  EXPECT_EQ(describe_progress(candidates[1].plan, &candidates[2]),
            "none: writebehind 256 KiB; best 500 MB/s, direct 4 MiB");
}

}  // namespace
}  // namespace freshet::tool
