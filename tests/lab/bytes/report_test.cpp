// The results of `freshet bytes`: figures that cannot be right are marked.
#include "lab/bytes/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

// Six rounds, in which the way writes or reads so many MB/s.
byte_row row_of(std::string_view way, double rate, std::size_t buffer = 0) {
  const auto found = std::ranges::find(byte_ways(), way, &byte_way::name);
  byte_row row{.plan = {.way = &*found, .buffer = buffer}};
  for (unsigned round = 0; round < 6; ++round) {
    trial_result trial;
    trial.validity = trial_validity::valid;
    trial.round = round;
    trial.bytes = 100'000'000;
    trial.seconds_to_close = 100 / rate * (1 + 0.01 * round);
    row.trials.push_back(trial);
  }
  return row;
}

TEST(bytes_table, marks_a_way_that_is_slower_without_the_lock) {
  const std::vector<byte_row> rows{row_of("fwrite", 585), row_of("fwrite_unlocked", 134)};
  const std::string text = format_byte_rows(rows, 5000);
  EXPECT_THAT(text, HasSubstr("! 13"));
  EXPECT_THAT(
      text, HasSubstr("! fwrite_unlocked cannot be right: without the lock, it is 4.4 x slower (3.7-5.2) than fwrite"));
}

TEST(bytes_table, compares_ways_of_the_same_buffer) {
  const std::vector<byte_row> rows{row_of("fread", 585), row_of("fread", 100, 65536), row_of("fread_unlocked", 600),
                                   row_of("fread_unlocked", 134, 65536)};
  EXPECT_THAT(format_byte_rows(rows, 5000), Not(HasSubstr("!")));
}

TEST(bytes_table, marks_a_byte_at_a_time_that_is_faster_than_64_kib_at_a_time) {
  const std::vector<byte_row> rows{row_of("fread", 585), row_of("fread-64K", 134), row_of("fwrite", 100),
                                   row_of("fwrite-64K", 2000)};
  const std::string text = format_byte_rows(rows, 1000);
  EXPECT_THAT(text, HasSubstr("! fread cannot be right: a byte at a time, it is 4.4 x faster"));
  EXPECT_THAT(text, Not(HasSubstr("! fwrite"))) << "64 KiB at a time has no loop around each byte";
}

TEST(bytes_table, marks_a_way_that_is_faster_than_nothing) {
  const std::vector<byte_row> rows{row_of("fwrite", 585), row_of("writer.put", 6000)};
  EXPECT_THAT(format_byte_rows(rows, 5000), HasSubstr("! writer.put cannot be right: faster than the loop"));
  EXPECT_THAT(format_byte_rows(rows, 5800), Not(HasSubstr("cannot be right"))) << "within its interval";
}

}  // namespace
}  // namespace freshet::tool
