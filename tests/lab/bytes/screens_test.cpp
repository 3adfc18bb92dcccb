// All that `freshet bytes` prints of made-up trials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/bytes/byte_trial.hpp"
#include "lab/bytes/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

// Six rounds of so many MB/s, each 1 % slower than the one before.
candidate row_of(std::string_view way, double rate, std::size_t buffer = 0) {
  candidate row{.plan = make_plan(*std::ranges::find(byte_ways(), way, &byte_way::name), buffer)};
  for (unsigned round = 0; round < 6; ++round) {
    const double seconds = 100 / rate * (1 + 0.01 * round);
    trial_result trial =
        test::make_trial(row.plan, seconds, round, {.bytes = 100'000'000, .disk = 2, .cpu = 0.75 * seconds});
    trial.started = test::made_up_time(1);
    trial.cpu_process = 0.5 * seconds;
    row.trials.push_back(std::move(trial));
  }
  return row;
}

void spoil(trial_result& trial) {
  trial.validity = trial_validity::invalid;
  trial.reasons = {"the content differs"};
}

// A way of each kind: with several buffers, faster than the loop, slower without the lock, and with trials that do not
// count.
std::vector<candidate> all_rows() {
  std::vector<candidate> rows{row_of("fwrite", 585),
                              row_of("fwrite", 620, 65536),
                              row_of("fwrite_unlocked", 134),
                              row_of("fwrite_unlocked", 640, 65536),
                              row_of("fwrite-64K", 2000),
                              row_of("writer.put", 4200),
                              row_of("writer.put", 6000, 65536),
                              row_of("putc", 700),
                              row_of("ofstream.put", 90),
                              row_of("fread", 900),
                              row_of("fread", 950, 4096),
                              row_of("fread-64K", 134),
                              row_of("getc", 800)};
  spoil(rows[7].trials[2]);
  for (trial_result& trial : rows[8].trials) spoil(trial);
  rows[12].trials[1].validity = trial_validity::disturbed;
  rows[12].trials[1].reasons = {"others wrote to vda meanwhile"};
  return rows;
}

TEST(bytes_screen, has_a_table_for_each_direction_and_what_cannot_be_right) {
  EXPECT_TRUE(is_golden("lab/bytes/screens/bytes.txt", format_byte_rows(all_rows(), 5000)));
}

TEST(bytes_screen, without_the_reference_compares_nothing) {
  EXPECT_TRUE(is_golden("lab/bytes/screens/no-reference.txt",
                        format_byte_rows(std::vector{row_of("getc", 800), row_of("getc", 850, 4096)}, 5000)));
}

TEST(bytes_json, has_the_plan_and_all_figures) {
  const candidate row = row_of("writer.put", 4200, 65536);
  const byte_trial trial{.figures = row.trials.front(), .method_at_work = "buffered"};
  const record kept = make_record(trial);
  EXPECT_TRUE(is_golden("lab/bytes/screens/trial.json", test::golden_json({{"trial", trial},
                                                                           {"workload", kept.workload},
                                                                           {"method", kept.method},
                                                                           {"label", kept.label},
                                                                           {"plan", kept.plan},
                                                                           {"extra", kept.extra}})));
}

}  // namespace
}  // namespace freshet::tool
