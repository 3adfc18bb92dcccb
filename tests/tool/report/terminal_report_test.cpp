// What people see of verdicts: widths, bars, signs and colours.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tool/report/bars.hpp"
#include "tool/report/bench_report.hpp"
#include "tool/report/progress.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr screen ascii{};
constexpr screen unicode{.unicode = true};
constexpr screen coloured{.colours = true, .unicode = true};
constexpr std::uint64_t size = 1'000'000'000;

trial_result make_trial(const trial_plan& plan, unsigned round, double seconds) {
  trial_result made;
  made.plan = plan;
  made.plan.size = made.bytes = size;
  made.round = round;
  made.seconds_to_close = seconds;
  made.seconds_to_disk = seconds * 1.1;
  made.cpu_whole = 0.5;
  made.device_writes = 1000;
  made.extents = 2;
  return made;
}

std::vector<trial_result> make_trials(const trial_plan& plan, const std::vector<double>& seconds) {
  std::vector<trial_result> all;
  for (const double one : seconds) all.push_back(make_trial(plan, static_cast<unsigned>(all.size()), one));
  return all;
}

std::vector<trial_result> invalid(std::vector<trial_result> all, const std::string& reason) {
  for (trial_result& made : all) {
    made.validity = trial_validity::invalid;
    made.reasons = {reason};
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
                           .memory = memory_state::reused,
                           .size = size,
                           .jobs = 16};
  const trial_plan other{.method = "writebehind", .block = std::size_t{256} << 10, .size = size};
  const trial_plan third{.method = "direct", .block = std::size_t{4} << 20, .size = size};
  return {{.plan = longest, .trials = make_trials(longest, {1, 1.1, 0.9, 1.05, 0.95})},
          {.plan = other, .trials = make_trials(other, {1.02, 1.1, 0.93, 1.0, 0.9})},
          {.plan = third, .trials = make_trials(third, {2.02, 2.1, 1.93, 2.0, 1.9})}};
}

tuning tuning_of(const std::vector<candidate>& field) {
  tuning found;
  found.classes.push_back({.found = rank_candidates(io_class::none, field, 1), .field = field, .end = race_end::time});
  found.order_costs = field;
  found.seconds = 60;
  return found;
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

TEST(DisplayWidth, CountsCharactersAndNoColours) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("━━┅"), 3U);
  EXPECT_EQ(display_width("\x1b[32m━━\x1b[0m é"), 4U);
}

TEST(Shortened, CutsBetweenCharactersAndSaysSo) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("longer", 5), "long~");
  EXPECT_EQ(shortened("léngér", 5, unicode), "léng…");
  EXPECT_EQ(shortened("a\nb\x1b[2Jc", 80), "a?b?[2Jc");  // a file's name may not clear the screen
}

TEST(Wrapped, SetsInAllLinesButTheFirst) {
  EXPECT_EQ(wrapped("one two three", 2, 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("incompressible word", 2, 8), "incompressible\n  word\n");
  EXPECT_EQ(wrapped("━━━ ━━━━", 2, 8), "━━━ ━━━━\n");
}

TEST(Painted, IsPlainWithoutColours) {
  EXPECT_EQ(painted("x", colour::good, ascii), "x");
  EXPECT_EQ(painted("x", colour::good, coloured), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(painted("x", colour::none, coloured), "x");
  EXPECT_EQ(painted("", colour::good, coloured), "");
}

TEST(Bar, ShowsItsInterval) {
  EXPECT_EQ(bar({80, 100}, 100, 10, unicode), "━━━━━━━━┅┅");
  EXPECT_EQ(bar({40, 60}, 100, 10, ascii), "####--");
  EXPECT_EQ(bar({50, 50}, 100, 10, ascii), "#####");
  EXPECT_EQ(bar({0.1, 0.2}, 100, 10, ascii), "#");  // little is not nothing
  EXPECT_EQ(bar({0, 0}, 100, 10, ascii), "");
}

TEST(Table, CutsOnlyWhatMayBeCut) {
  using enum table::side;
  table list{{{"name", left, true}, {"figure"}}};
  list.add({"a name of 21 columns", "12345678"});
  EXPECT_EQ(list.text(), "name                    figure\na name of 21 columns  12345678\n");
  EXPECT_EQ(list.text(20), "name          figure\na name of~  12345678\n");
  EXPECT_EQ(list.width(), 30U);
}

TEST(Table, AlignsCellsWithColours) {
  using enum table::side;
  table list{{{"", left}, {"MB/s"}}};
  list.add({painted("━━", colour::good, coloured), "12"});
  list.add({"####", "3"});
  EXPECT_EQ(list.text(), "      MB/s\n\x1b[32m━━\x1b[0m      12\n####     3\n");
}

TEST(TuneReport, FitsATerminal) {
  for (const screen& look : {ascii, unicode, coloured}) {
    expect_to_fit(tune_report(tuning_of(long_names()), look));
    std::vector<candidate> mixed = long_names();
    for (trial_result& made : mixed[2].trials) made.plan.size = made.bytes = size / 4;
    expect_to_fit(tune_report(tuning_of(mixed), look));
  }
}

TEST(TuneReport, HasBarsAndSigns) {
  std::vector<candidate> field = long_names();
  field[0].plan = {.method = "uring", .block = std::size_t{4} << 20, .depth = 2, .size = size};
  for (trial_result& made : field[0].trials) made.plan = field[0].plan;
  const std::string text = tune_report(tuning_of(field), unicode);
  EXPECT_THAT(text, HasSubstr("━"));
  EXPECT_THAT(text, HasSubstr("┅"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\n>  "));
  EXPECT_THAT(text, HasSubstr("\n?  "));
  EXPECT_THAT(text, HasSubstr("more rounds would decide"));
  EXPECT_THAT(text, HasSubstr("the time was up"));
  EXPECT_THAT(line_with(text, "direct 4 MiB "), HasSubstr("   direct"));
}

TEST(TuneReport, SaysTheSameWithoutColours) {
  const std::string with = tune_report(tuning_of(long_names()), coloured);
  std::string plain;
  bool escape = false;
  for (const char c : with) {
    if (c == '\x1b') escape = true;
    if (!escape) plain += c;
    if (c == 'm') escape = false;
  }
  EXPECT_NE(with, plain);
  EXPECT_EQ(tune_report(tuning_of(long_names()), unicode), plain);
}

TEST(TuneReport, IsAsciiWhereTheLocaleIs) {
  const std::string text = tune_report(tuning_of(long_names()), ascii);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << text;
  EXPECT_THAT(text, HasSubstr("##"));
}

TEST(TuneReport, SaysWhatWasLeftOutAndWhatIsOdd) {
  std::vector<candidate> field = long_names();
  field[1].trials.push_back(invalid({make_trial(field[1].plan, 5, 1)}, "the content differs").front());
  field[0].trials.push_back(make_trial(field[0].plan, 5, 7));
  const std::string text = tune_report(tuning_of(field), ascii);
  EXPECT_THAT(text, HasSubstr("Left out: 1 invalid, the content differs"));
  EXPECT_THAT(text, HasSubstr("1 outlier, counted nevertheless: "));
  expect_to_fit(text);
}

std::vector<measured_plan> bench_rows() {
  const trial_plan fast{.method = "uring", .block = std::size_t{4} << 20, .depth = 2, .size = size};
  const trial_plan slow{.method = "buffered", .block = std::size_t{256} << 10, .size = size};
  const trial_plan broken{.method = "mmap", .block = std::size_t{1} << 20, .size = size};
  const trial_plan null{.method = "null", .size = size};
  const trial_plan missing{.method = "aio"};
  return {{.plan = slow, .trials = make_trials(slow, {2, 2.1, 1.9, 2, 2})},
          {.plan = fast, .trials = make_trials(fast, {1, 1.1, 0.9, 1, 1})},
          {.plan = broken, .trials = invalid(make_trials(broken, {0.1, 0.1, 0.1}), "the content differs")},
          {.plan = null, .trials = make_trials(null, {0.01, 0.01, 0.01})},
          {.plan = missing, .why_not = "the kernel has none"}};
}

TEST(BenchReport, RanksWhatIsValid) {
  const std::string text = bench_report(bench_rows(), unicode);
  EXPECT_THAT(text, HasSubstr("Winner uring 4 MiB x 2: 1000 MB/s"));
  EXPECT_THAT(line_with(text, ">  "), HasSubstr("uring 4 MiB x 2"));
  EXPECT_THAT(text, HasSubstr("\n!  mmap 1 MiB"));
  EXPECT_THAT(text, HasSubstr("! mmap 1 MiB: invalid: the content differs"));
  EXPECT_THAT(text, HasSubstr("! aio: not measured: the kernel has none"));
  EXPECT_THAT(text, HasSubstr("Left out: 3 invalid, the content differs"));
  EXPECT_THAT(text, HasSubstr("━"));
  for (const screen& look : {ascii, unicode, coloured}) expect_to_fit(bench_report(bench_rows(), look));
}

TEST(BenchReport, NeverHasAnInvalidPlanForItsBest) {
  std::vector<measured_plan> rows = bench_rows();
  rows.erase(rows.begin(), rows.begin() + 2);
  const std::string text = bench_report(rows, unicode);
  EXPECT_THAT(text, Not(HasSubstr("Winner")));
  EXPECT_THAT(text, Not(HasSubstr(">  ")));
  EXPECT_THAT(text, HasSubstr("!  mmap 1 MiB"));
}

TEST(BenchReport, FitsATerminalWithLongNames) {
  std::vector<measured_plan> rows;
  for (const candidate& who : long_names()) rows.push_back({.plan = who.plan, .trials = who.trials});
  for (const screen& look : {ascii, unicode, coloured}) expect_to_fit(bench_report(rows, look));
}

TEST(RoundsInWords, SayHowSureTheyAre) {
  EXPECT_EQ(rounds_in_words({0, false}), "");
  EXPECT_EQ(rounds_in_words({1, false}), "about 1 more round would decide");
  EXPECT_EQ(rounds_in_words({14, true}), "at least 14 more rounds would decide");
}

TEST(ProgressWords, NameWhatRunsAndTheBestSoFar) {
  const std::vector<candidate> field = long_names();
  EXPECT_EQ(progress_words(field[2].plan, nullptr), "none: direct 4 MiB");
  EXPECT_EQ(progress_words(field[1].plan, &field[2]), "none: writebehind 256 KiB; best direct 4 MiB (500 MB/s)");
}

}  // namespace
}  // namespace freshet::tool
