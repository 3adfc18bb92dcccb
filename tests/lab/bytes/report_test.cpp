// The results of `freshet bytes`: figures that cannot be right are marked.
#include "lab/bytes/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bytes/byte_trial.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;
using testing::ElementsAre;
using testing::IsEmpty;

// A round for each of these seconds, in which the way writes or reads 100 MB.
candidate row_taking(std::string_view way, std::size_t buffer, const std::vector<double>& seconds) {
  const trial_plan plan = make_plan(*std::ranges::find(byte_ways(), way, &byte_way::name), buffer);
  return test::entry(plan, seconds, {.bytes = 100'000'000, .cpu = 0});
}

// Six rounds, in which the way writes or reads so many MB/s.
candidate row_of(std::string_view way, double rate, std::size_t buffer = 0) {
  std::vector<double> seconds;
  for (unsigned round = 0; round < 6; ++round) seconds.push_back(100 / rate * (1 + 0.01 * round));
  return row_taking(way, buffer, seconds);
}

// The ways of which the report says that their figures cannot be right; "" if it marks one and does not say why.
std::vector<std::string> marked(const std::vector<candidate>& rows, double loop_rate) {
  std::vector<std::string> ways;
  std::size_t marks = 0;
  std::istringstream lines{format_byte_rows(rows, loop_rate)};
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t end = line.find(" cannot be right: "); line.starts_with("! ") && end != std::string::npos)
      ways.push_back(line.substr(2, end - 2));
    else
      marks += static_cast<std::size_t>(std::ranges::count(line, '!'));
  if (marks != ways.size()) ways.emplace_back();
  return ways;
}

TEST(bytes_table, marks_a_way_that_is_slower_without_the_lock) {
  EXPECT_THAT(marked({row_of("fwrite", 585), row_of("fwrite_unlocked", 134)}, 5000), ElementsAre("fwrite_unlocked"));
}

TEST(bytes_table, compares_ways_of_the_same_buffer) {
  const std::vector<candidate> rows{row_of("fread", 585), row_of("fread", 100, 65536), row_of("fread_unlocked", 600),
                                    row_of("fread_unlocked", 134, 65536)};
  EXPECT_THAT(marked(rows, 5000), IsEmpty());
}

TEST(bytes_table, marks_a_byte_at_a_time_that_is_faster_than_64_kib_at_a_time) {
  const std::vector<candidate> rows{row_of("fread", 585), row_of("fread-64K", 134), row_of("fwrite", 100),
                                    row_of("fwrite-64K", 2000)};
  EXPECT_THAT(marked(rows, 1000), ElementsAre("fread")) << "64 KiB at a time has no loop around each byte";
}

TEST(bytes_table, marks_a_way_that_is_faster_than_nothing) {
  const std::vector<candidate> rows{row_of("fwrite", 585), row_of("writer.put", 6000)};
  EXPECT_THAT(marked(rows, 5000), ElementsAre("writer.put"));
  EXPECT_THAT(marked(rows, 5800), IsEmpty()) << "within its interval";
}

TEST(bytes_table, compares_round_by_round_with_the_fastest_buffer) {
  const std::vector<candidate> rows = {row_taking("fwrite", 0, {1, 2, 4}), row_taking("putc", 0, {1, 2, 4}),
                                       row_taking("putc", 65536, {0.5, 1, 2}), row_taking("getc", 0, {0.1, 0.1, 0.1})};
  EXPECT_TRUE(is_golden("lab/bytes/screens/rounds.txt", format_byte_rows(rows, 1200)));
}

TEST(bytes_table, leaves_out_what_is_invalid_and_says_why) {
  std::vector<candidate> rows = {row_taking("fread", 0, {1, 1}), row_taking("getc", 0, {1, 0.1})};
  for (trial_result* const trial : {&rows[0].trials[0], &rows[0].trials[1], &rows[1].trials[1]}) {
    trial->validity = trial_validity::invalid;
    trial->reasons = {"not warm"};
  }
  EXPECT_TRUE(is_golden("lab/bytes/screens/invalid.txt", format_byte_rows(rows, 10'000)));
}

}  // namespace
}  // namespace freshet::tool
