// Exports in the formats of other tools: where each figure is. readers_test.cpp tests that those tools can read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/tool/export/export_sample.hpp"
#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"

namespace freshet {
namespace {

using nlohmann::json;
using test::invalid;
using test::io_class;
using test::record;
using test::sample;
using test::sample_run;
using testing::ElementsAre;
using testing::HasSubstr;
using tool::format_export;

// Trials of two methods. The fastest trial of all is invalid.
std::vector<record> two_ways() {
  return {sample("buffered", io_class::none, 0.4), sample("uring", io_class::none, 0.2),
          sample("uring", io_class::none, 0.3),    invalid(sample("uring", io_class::none, 0.001), "too fast"),
          sample("uring", io_class::none, 0.1),    sample("uring", io_class::at_close, 0.1)};
}

json make_json(std::string_view kind, const std::vector<record>& records) {
  return json::parse(format_export(kind, sample_run(), records));
}

TEST(exports, each_kind_is_made) {
  EXPECT_THAT(tool::export_kinds(), ElementsAre("hyperfine", "fio", "benchmark", "csv", "markdown"));
  for (const std::string& kind : tool::export_kinds()) {
    EXPECT_EQ(format_export(kind, sample_run(), two_ways()).back(), '\n') << kind;
    EXPECT_EQ(format_export(kind, {}, {}).back(), '\n') << kind;  // nothing was measured
  }
}

TEST(exports, an_unknown_kind_is_refused_with_those_there_are) {
  try {
    static_cast<void>(format_export("xml", sample_run(), {}));
    FAIL() << "took it";
  } catch (const std::invalid_argument& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("\"xml\""));
    EXPECT_THAT(refused.what(), HasSubstr("hyperfine, fio, benchmark, csv, markdown"));
  }
}

TEST(exports, plans_stand_by_class_and_the_fastest_first) {
  const std::vector<record> records = two_ways();
  const auto plans = tool::group_by_plan(records);
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[0].first().method, "uring");
  EXPECT_EQ(plans[0].trials.size(), 4U);
  EXPECT_EQ(plans[0].counted.size(), 3U);
  EXPECT_EQ(plans[1].first().method, "buffered");
  EXPECT_EQ(plans[2].first().figures.plan.measured_class, io_class::at_close);
}

TEST(exports, names_are_the_same_in_every_run) {
  record trial = sample("uring", io_class::at_close, 1);
  trial.plan["seed"] = 99;
  EXPECT_EQ(tool::format_name(trial), "text/at_close/uring/block:1000000/depth:1/size:100000000");
  trial.plan["ordered"] = false;
  EXPECT_EQ(tool::format_name(trial), "text/at_close/uring/block:1000000/depth:1/ordered:false/size:100000000");
}

TEST(exports, hyperfine_has_seconds_of_the_classes_clock) {
  const json results = make_json("hyperfine", two_ways())["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0]["command"], "uring 1 MB: text, none, 95.4 MiB");
  EXPECT_THAT(results[0]["times"], ElementsAre(0.2, 0.3, 0.1));
  EXPECT_THAT(results[0]["exit_codes"], ElementsAre(0, 0, 0));
  EXPECT_DOUBLE_EQ(results[0]["mean"], 0.2);
  EXPECT_DOUBLE_EQ(results[0]["median"], 0.2);
  EXPECT_DOUBLE_EQ(results[0]["stddev"], 0.1);
  EXPECT_DOUBLE_EQ(results[0]["min"], 0.1);
  EXPECT_DOUBLE_EQ(results[0]["max"], 0.3);
  EXPECT_DOUBLE_EQ(results[0]["user"], 0.02);
  EXPECT_DOUBLE_EQ(results[0]["system"], 0.03);
  EXPECT_EQ(results[0]["parameters"]["method"], "uring");
  EXPECT_FALSE(results[0]["parameters"].contains("block"));  // the same in all plans
  EXPECT_EQ(results[1]["stddev"], nullptr);                  // as hyperfine has it of a single run
  EXPECT_THAT(results[2]["times"], ElementsAre(0.2));        // to disk
}

TEST(exports, benchmark_has_each_trial_and_what_they_come_to) {
  const json all = make_json("benchmark", two_ways());
  EXPECT_EQ(all["context"]["num_cpus"], 2);
  const json& entries = all["benchmarks"];
  ASSERT_EQ(entries.size(), 9U);  // three and their four figures, one, one
  EXPECT_EQ(entries[0]["name"], "text/none/uring/block:1000000/depth:1/size:100000000");
  EXPECT_EQ(entries[0]["run_type"], "iteration");
  EXPECT_EQ(entries[0]["repetitions"], 3);
  EXPECT_EQ(entries[1]["repetition_index"], 1);
  EXPECT_DOUBLE_EQ(entries[0]["real_time"], 200);
  EXPECT_DOUBLE_EQ(entries[0]["cpu_time"], 50);
  EXPECT_DOUBLE_EQ(entries[0]["bytes_per_second"], 5e8);
  EXPECT_EQ(entries[3]["name"], entries[0]["run_name"].get<std::string>() + "_mean");
  EXPECT_EQ(entries[3]["aggregate_name"], "mean");
  EXPECT_DOUBLE_EQ(entries[4]["real_time"], 200);  // the median
  EXPECT_DOUBLE_EQ(entries[5]["real_time"], 100);  // the deviation
  EXPECT_DOUBLE_EQ(entries[6]["real_time"], 0.5);  // its share of the mean
  EXPECT_EQ(entries[6]["aggregate_unit"], "percentage");
}

TEST(exports, fio_has_a_job_for_each_plan) {
  const json all = make_json("fio", two_ways());
  EXPECT_EQ(all["fio version"], "freshet-1.2.3");
  EXPECT_EQ(all["timestamp"], 1772368496);
  ASSERT_EQ(all["jobs"].size(), 3U);
  const json& job = all["jobs"][0];
  EXPECT_EQ(job["error"], 0);
  EXPECT_EQ(job["job options"]["ioengine"], "io_uring");
  EXPECT_EQ(job["job options"]["loops"], "3");
  const json& write = job["write"];
  EXPECT_EQ(write["io_bytes"], 300'000'000);
  EXPECT_EQ(write["runtime"], 600);  // ms
  EXPECT_EQ(write["bw_bytes"], 500'000'000);
  EXPECT_EQ(write["bw"], 488281);  // KiB/s
  EXPECT_EQ(write["total_ios"], 300);
  EXPECT_DOUBLE_EQ(write["iops"], 500);
  EXPECT_EQ(write["bw_samples"], 3);
  EXPECT_EQ(write["clat_ns"]["N"], 300);
  EXPECT_NEAR(write["clat_ns"]["mean"], 2e6, 2e6 / 8);
  EXPECT_NEAR(write["clat_ns"]["percentile"]["50.000000"], 2e6, 2e6 / 8);
  EXPECT_EQ(job["read"]["io_bytes"], 0);
  EXPECT_DOUBLE_EQ(job["usr_cpu"], 5);  // of the time to disk
  EXPECT_DOUBLE_EQ(job["sys_cpu"], 7.5);
  EXPECT_EQ(all["disk_util"][0]["write_ios"], 250);
}

TEST(exports, fios_latencies_lie_between_their_bounds) {
  const json job = make_json("fio", {sample("buffered", io_class::none, 0.04)})["jobs"][0];  // 0.4 ms each
  EXPECT_DOUBLE_EQ(job["latency_us"]["500"], 100);
  double sum = 0;
  for (const char* const unit : {"latency_ns", "latency_us", "latency_ms"})
    for (const auto& [bound, share] : job[unit].items()) sum += share.get<double>();
  EXPECT_DOUBLE_EQ(sum, 100);
}

TEST(exports, fio_has_no_percentiles_of_what_was_not_seen) {
  record unseen = sample("buffered", io_class::cold, 1);
  unseen.figures.block_latency = {};
  const json job = make_json("fio", {unseen})["jobs"][0];
  EXPECT_FALSE(job["read"]["clat_ns"].contains("percentile"));
  EXPECT_EQ(job["read"]["clat_ns"]["N"], 0);
  EXPECT_EQ(job["read"]["total_ios"], 100);
  EXPECT_EQ(job["write"]["io_bytes"], 0);
}

TEST(exports, invalid_trials_stand_apart) {
  const std::vector<record> records{invalid(sample("uring", io_class::none, 0.5), "cached"),
                                    sample("buffered", io_class::none, 0.5)};
  for (const char* const kind : {"hyperfine", "fio", "benchmark"}) {
    const json all = make_json(kind, records);
    ASSERT_EQ(all["freshet"]["left_out"].size(), 1U) << kind;
    EXPECT_THAT(all["freshet"]["left_out"][0]["reasons"], ElementsAre("cached")) << kind;
  }
  EXPECT_EQ(make_json("hyperfine", records)["results"].size(), 1U);
  EXPECT_EQ(make_json("benchmark", records)["benchmarks"].size(), 1U);
  const json jobs = make_json("fio", records)["jobs"];
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_NE(jobs[1]["error"], 0);  // a plan without a trial that counts
  EXPECT_EQ(jobs[1]["write"]["io_bytes"], 0);
}

TEST(exports, trials_that_warm_up_are_in_no_figure) {
  std::vector<record> records{sample("uring", io_class::none, 9), sample("uring", io_class::none, 1)};
  records[0].extra["warm_up"] = true;
  const json all = make_json("hyperfine", records);
  EXPECT_THAT(all["results"][0]["times"], ElementsAre(1.0));
  EXPECT_EQ(all["freshet"]["left_out"][0]["seconds"], 9);
  EXPECT_EQ(make_json("fio", records)["jobs"][0]["write"]["io_bytes"], 100'000'000);
}

TEST(exports, what_took_no_time_stays_json) {
  record empty = sample("buffered", io_class::none, 0);
  empty.figures.bytes = 0;
  for (const std::string& kind : tool::export_kinds()) {
    const std::string text = format_export(kind, sample_run(), std::vector{empty, empty});
    EXPECT_EQ(text.find("inf,"), std::string::npos) << kind;
  }
  EXPECT_EQ(make_json("fio", {empty})["jobs"][0]["write"]["bw"], 0);
}

TEST(exports, names_of_any_bytes_stay_json) {
  record odd = sample("buffered", io_class::none, 1);
  odd.label = "odd \xff \"name\"\n";
  odd.plan["path"] = "\xff";
  for (const char* const kind : {"hyperfine", "fio", "benchmark"})
    EXPECT_NO_THROW(static_cast<void>(make_json(kind, {odd}))) << kind;
  const json result = make_json("hyperfine", {odd})["results"][0];
  EXPECT_EQ(result["command"], "odd \xEF\xBF\xBD \"name\"\n: text, none, 95.4 MiB");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// It stays in its cell, and cannot command a terminal; of one plan nothing counts.
TEST(exports, markdown_escapes_text) {
  record cells = sample("buffered", io_class::none, 1);
  cells.label = "a|b\\|<c>\n`d`";
  record controls = sample("uring", io_class::none, 1);
  controls.label = "a\x1b[31mb\xff";
  const std::vector<record> records{cells, controls, invalid(sample("direct", io_class::none, 1), "a|b")};
  EXPECT_TRUE(test::is_golden("tool/export/golden/markdown-odd.md", format_export("markdown", sample_run(), records)));
}

TEST(exports, csv_has_a_line_for_each_trial) {
  const std::string text = format_export("csv", sample_run(), two_ways());
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 7U);
  for (const std::string& line : lines) EXPECT_EQ(line.back(), '\r');
}

TEST(exports, each_column_of_csv_has_a_name_of_its_own) {
  std::vector<std::string> names;
  std::istringstream head{lines_of(format_export("csv", {}, {})).front()};
  for (std::string name; std::getline(head, name, ',');) names.push_back(name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace freshet
