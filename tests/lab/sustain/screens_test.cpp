// What `freshet sustain` prints of made-up loads.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/sustain/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/tool/report/screen_test.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

class sustain_screen : public test::screen_test {};

constexpr screen narrow;
constexpr screen wide{.colours = true, .unicode = true, .width = 132};

// 25 seconds of about 500 MB/s, of which the tenth is slow.
load_result load_of_25_seconds() {
  load_result load;
  std::uint64_t bytes = 0;
  for (unsigned second = 1; second <= 25; ++second) {
    bytes += second == 10 ? 100'000'000 : 500'000'000;
    load.samples.push_back({.at = 1.0 * second,
                            .bytes = bytes,
                            .dirty = std::uint64_t{second} << 23,
                            .memory = std::uint64_t{64} << 20,
                            .longest_wait = second == 10 ? 0.75 : 0.002});
    load.waits.add(2'000'000);
  }
  load.waits.add(750'000'000);
  load.bytes = bytes;
  load.seconds = 25;
  load.sync_seconds = 0.25;
  load.worst = {.seconds = 0.5, .elsewhere = 0.125};
  load.longest_wait = 0.75;
  load.cpu.process = 3;
  load.cpu.whole = 4.5;
  return load;
}

sustain_report report_on(load_result load, double rate, std::optional<double> most) {
  sustain_report report{
      .place = "/data (ext4 on vda)",
      .plan = {.method = "uring", .block = std::size_t{1} << 20, .depth = 4, .writers = 2, .rate = rate, .seconds = 25},
      .load = std::move(load),
      .most = most,
      .verdict = {}};
  report.verdict = judge(rate, report.load, most);
  return report;
}

TEST_F(sustain_screen, has_curve_figures_and_answer) {
  const sustain_report report = report_on(load_of_25_seconds(), 484e6, 700e6);
  EXPECT_TRUE(is_golden("lab/sustain/screens/yes-80.txt", format_sustain(report, narrow)));
  EXPECT_TRUE(is_golden("lab/sustain/screens/yes-132.txt", format_sustain(report, wide)));
  EXPECT_TRUE(is_golden("lab/sustain/screens/yes.json", test::golden_json(report)));
}

TEST_F(sustain_screen, of_a_load_that_failed_at_once_has_no_curve) {
  sustain_report report = report_on({.failure = "write '/data/a': No space left on device"}, 500e6, {});
  report.plan.method = "auto";
  report.plan.block = 0;
  report.plan.writers = 1;
  EXPECT_TRUE(is_golden("lab/sustain/screens/failed-80.txt", format_sustain(report, narrow)));
  EXPECT_TRUE(is_golden("lab/sustain/screens/failed.json", test::golden_json(report)));
}

}  // namespace
}  // namespace freshet::tool
