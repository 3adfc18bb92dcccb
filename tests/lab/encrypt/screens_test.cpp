// What `freshet encrypt` prints of made-up runs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/encrypt/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

encryption_report plain() {
  encryption_report report;
  report.started = "2026-03-01T12:34:56Z";
  report.in = "/data/in";
  report.out = "/data/out";
  report.plan.cipher.work = 3;
  report.figures = {.files = 12,
                    .bytes_read = 1'000'000'000,
                    .bytes_written = 1'333'333'336,
                    .seconds = 2.5,
                    .cpu_process = 4.25,
                    .cpu_whole = 4.75,
                    .peak_memory = {},
                    .page_cache = {}};
  return report;
}

// With everything that a run may have.
encryption_report full() {
  encryption_report report = plain();
  report.plan = {.cipher = report.plan.cipher,
                 .how = strategy::streaming,
                 .threads = 4,
                 .streams = stream_kind::freshet,
                 .files = {.access = access::once, .caching = caching::drop, .buffer = 65536}};
  report.plan.cipher.decrypt = true;
  report.plan.cipher.cipher = cipher_kind::aes;
  report.why = "large files are read faster one after another";
  report.ranks = 2;
  report.finished_before = 5;
  report.figures.peak_memory = 12'345'678;
  report.figures.page_cache = 2'000'000'000;
  report.cold = eviction{.proven = true, .reasons = {}, .caveats = {"names and inodes: dropping them takes root"}};
  report.verified = 12;
  return report;
}

nlohmann::json json_of(const encryption_report& report) {
  const record kept = make_record(report);
  return {{"report", report},  {"workload", kept.workload}, {"method", kept.method},  {"label", kept.label},
          {"plan", kept.plan}, {"extra", kept.extra},       {"figures", kept.figures}};
}

TEST(encrypt_screen, has_the_plan_and_the_figures) {
  EXPECT_TRUE(is_golden("lab/encrypt/screens/plain.txt", to_text(plain())));
  EXPECT_TRUE(is_golden("lab/encrypt/screens/full.txt", to_text(full())));
  encryption_report warm = full();
  warm.cold = eviction{.proven = false, .reasons = {"'a' is in memory", "'b' is in memory"}, .caveats = {}};
  warm.verified = 1;
  EXPECT_TRUE(is_golden("lab/encrypt/screens/not-cold.txt", to_text(warm)));
}

TEST(encrypt_json, has_the_report_and_the_record) {
  // The version is that of the build.
  for (const auto& [name, report] : {std::pair{"plain", plain()}, std::pair{"full", full()}}) {
    nlohmann::json json = json_of(report);
    EXPECT_TRUE(json.at("report").erase("freshet") == 1U);
    EXPECT_TRUE(is_golden(fmt::format("lab/encrypt/screens/{}.json", name), test::golden_json(json)));
  }
}

}  // namespace
}  // namespace freshet::tool
