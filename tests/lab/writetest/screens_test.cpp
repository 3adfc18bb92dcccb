// All that `freshet writetest` prints of made-up writes.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/writetest/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

class writetest_screen : public test::screen_test {};

constexpr screen narrow;
constexpr screen wide{.colours = true, .unicode = true, .width = 132};
constexpr std::uint64_t size = std::uint64_t{100} << 20;

trial_result made_in(double seconds, double to_disk, const std::string& fault = {}) {
  return test::make_trial({.size = size}, seconds, 0, {.disk = to_disk / seconds, .cpu = 0.1, .invalid = fault});
}

candidate row_of(const std::string& method, std::vector<trial_result> trials, std::string why_not = {}) {
  return {.plan = {.method = method, .size = size}, .trials = std::move(trials), .dropped = std::move(why_not)};
}

// Methods with valid trials, with some, with none, and such that failed after a trial or before.
std::vector<candidate> all_rows() {
  const std::string full = "write '/data/a': No space left on device";
  return {row_of("buffered", {made_in(1, 2), made_in(3, 6)}),
          row_of("aio", {made_in(0.5, 0.5)}),
          row_of("stdio", {made_in(1, 1), made_in(0.1, 0.1, "the content differs")}),
          row_of("mmap", {made_in(0.1, 0.1, "the content differs")}),
          row_of("uring", {made_in(1, 1)}, full),
          row_of("direct", {}, full)};
}

std::string writes(const screen& look) {
  const std::vector<candidate> rows = all_rows();
  std::string text = format_write_heading();
  for (const candidate& row : rows) text += format_write(write_phase::cycle, row, "1/2", look);
  return text + format_write(write_phase::sequential, rows.front(), "2/2", look);
}

std::string averages(const screen& look) {
  std::vector<candidate> rows = all_rows();
  const std::string cycle = format_writetest_averages(write_phase::cycle, rows, look);
  rows.front().plan.target = target_kind::overwrite;
  return cycle + "\n" + format_writetest_averages(write_phase::sequential, rows, look);
}

TEST_F(writetest_screen, has_a_line_for_each_write) {
  EXPECT_TRUE(is_golden("lab/writetest/screens/writes-80.txt", writes(narrow)));
  EXPECT_TRUE(is_golden("lab/writetest/screens/writes-132.txt", writes(wide)));
}

TEST_F(writetest_screen, has_averages_with_their_ranges) {
  EXPECT_TRUE(is_golden("lab/writetest/screens/averages-80.txt", averages(narrow)));
  EXPECT_TRUE(is_golden("lab/writetest/screens/averages-132.txt", averages(wide)));
  EXPECT_TRUE(is_golden("lab/writetest/screens/averages.json", test::golden_json(writetest_averages(all_rows()))));
}

}  // namespace
}  // namespace freshet::tool
