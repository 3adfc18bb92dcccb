// The tools whose formats freshet writes read the exports. Tests of missing tools are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/export/export_sample.hpp"
#include "tool/export/exports.hpp"

namespace freshet {
namespace {

using nlohmann::json;
using test::content_of;
using test::expect_members_of;
using test::invalid;
using test::io_class;
using test::record;
using test::run_in;
using test::sample;
using test::sample_run;
using testing::HasSubstr;
using testing::Not;
using tool::format_export;

// Debian's Python, which finds Debian's packages. PATH may lead to another one first.
const std::string python = "/usr/bin/python3";

class export_readers : public testing::Test {
 protected:
  int run(const std::string& words) { return run_in(place_.path(), words); }
  std::string printed() { return content_of(place_ / "printed"); }
  void write(const std::string& name, std::string_view kind, const std::vector<record>& records) {
    test::put(place_ / name, format_export(kind, sample_run(), records));
  }
  static json export_json(std::string_view kind, const std::vector<record>& records) {
    return json::parse(format_export(kind, sample_run(), records));
  }

  test::temporary_directory place_;
};

std::vector<record> ten_trials(double seconds) {
  std::vector<record> records;
  for (int i = 0; i < 10; ++i) {
    records.push_back(sample("uring", io_class::none, seconds * (1 + 0.001 * i)));
    records.push_back(sample("buffered", io_class::none, 1 + 0.001 * i));
  }
  return records;
}

TEST_F(export_readers, hyperfine_has_the_same_fields) {
  if (!test::has_program("hyperfine")) GTEST_SKIP() << "no hyperfine";
  ASSERT_EQ(run("hyperfine -N -r 2 -w 0 --parameter-list block 1,2 --export-json real.json 'echo {block}'"), 0)
      << printed();
  const json real = test::parsed(place_ / "real.json");
  const json ours = export_json("hyperfine", ten_trials(2));
  // Users choose the names of parameters.
  expect_members_of(real, ours, {"parameters"});
  for (const auto& [name, value] : ours["results"][0].items()) EXPECT_TRUE(real["results"][0].contains(name)) << name;
  for (const auto& [name, value] : ours["results"][0]["parameters"].items()) EXPECT_TRUE(value.is_string()) << name;
  ASSERT_EQ(run("hyperfine -N -r 1 -w 0 --export-json one.json true"), 0) << printed();
  const json one = export_json("hyperfine", {sample("uring", io_class::none, 1)});
  EXPECT_FALSE(one["results"][0].contains("parameters"));
  expect_members_of(test::parsed(place_ / "one.json"), one);
}

std::vector<record> blocks_of(const std::string& method, const std::vector<std::size_t>& blocks) {
  std::vector<record> records;
  for (const std::size_t block : blocks)
    for (int i = 0; i < 6; ++i) {
      record trial = sample(method, io_class::none, (1 + 0.01 * i) * 4e6 / static_cast<double>(block));
      trial.figures.plan.block = block;
      trial.plan = trial.figures.plan;
      trial.label = describe(trial.figures.plan);
      records.push_back(trial);
    }
  return records;
}

// What hyperfine's scripts compute before they draw, as they do it (scripts/*.py of 1.20).
constexpr auto hyperfine_scripts = R"python(
import json, sys
import numpy as np
from scipy import stats
results = json.load(open(sys.argv[2]))["results"]
def unique_parameter(benchmark):                       # plot_parametrized.py
    [(name, value)] = benchmark.get("parameters", {}).items()
    return (name, float(value))
if sys.argv[1] == "plot_parametrized":
    names, values = zip(*(unique_parameter(b) for b in results))
    assert len(frozenset(names)) == 1, names
    assert list(values) == sorted(values), values
    assert all(float(b["mean"]) > 0 and float(b["stddev"]) >= 0 for b in results)
    print(names[0], *values)
elif sys.argv[1] == "welch_ttest":
    assert len(results) == 2
    (a, b), (x, y) = zip(*((r["command"], r["times"]) for r in results))
    t, p = stats.ttest_ind(x, y, equal_var=False)
    print(f"{a} | {b} | {'differ' if p < 0.05 else 'same'}")
else:                                                  # the others
    for b in results:
        assert np.isclose(np.median(b["times"]), b["median"]) and np.isclose(np.mean(b["times"]), b["mean"])
        assert len(b["times"]) < 2 or np.isclose(np.std(b["times"], ddof=1), b["stddev"])
        assert b["min"] == min(b["times"]) and b["max"] == max(b["times"]) and b["command"]
    print(len(results))
)python";

class hyperfine_readers : public export_readers {
 protected:
  void SetUp() override {
    if (run(python + " -c 'import scipy'") != 0) GTEST_SKIP() << "no python3-scipy";
    test::put(place_ / "scripts.py", hyperfine_scripts);
  }
  int compute(const std::string& script, const std::vector<record>& records) {
    write("results.json", "hyperfine", records);
    return run(python + " scripts.py " + script + " results.json");
  }
  /// Runs the scripts themselves, where FRESHET_HYPERFINE_SCRIPTS says where they are.
  void run_itself(const std::string& script, const std::string& words) {
    const char* const folder = std::getenv("FRESHET_HYPERFINE_SCRIPTS");
    if (folder == nullptr) return;
    EXPECT_EQ(run("MPLBACKEND=agg " + python + " " + folder + "/" + script + ".py " + words), 0)
        << script << ": " << printed();
  }
};

TEST_F(hyperfine_readers, plot_the_one_option_that_was_varied) {
  ASSERT_EQ(compute("plot_parametrized", blocks_of("direct", {1 << 20, 65536, 4 << 20})), 0) << printed();
  EXPECT_EQ(printed(), "block 65536.0 1048576.0 4194304.0\n");
  run_itself("plot_parametrized", "--log-x -o plot.png results.json");
}

TEST_F(hyperfine_readers, test_the_difference_of_two_plans) {
  ASSERT_EQ(compute("welch_ttest", ten_trials(2)), 0) << printed();
  EXPECT_THAT(printed(), HasSubstr("differ"));
  run_itself("welch_ttest", "results.json");
  ASSERT_EQ(compute("welch_ttest", ten_trials(1)), 0) << printed();
  EXPECT_THAT(printed(), HasSubstr("same"));
}

TEST_F(hyperfine_readers, find_the_statistics_of_all_times) {
  ASSERT_EQ(compute("statistics", blocks_of("uring", {1 << 20, 2 << 20})), 0) << printed();
  EXPECT_EQ(printed(), "2\n");
  run_itself("advanced_statistics", "results.json");
  for (const char* const script : {"plot_whisker", "plot_histogram", "plot_progression", "plot_benchmark_comparison"})
    run_itself(script, "-o plot.png results.json");
}

TEST_F(export_readers, fio_has_the_same_fields) {
  if (!test::has_program("fio")) GTEST_SKIP() << "no fio";
  ASSERT_EQ(
      run("printf "
          "'[global]\\ndirectory=.\\n[j]\\nsize=1M\\nbs=64k\\nrw=write\\niodepth=1\\nnumjobs=1\\nioengine=psync\\n'"
          " > job && fio --output-format=json --output=real.json job"),
      0)
      << printed();
  const json real = test::parsed(place_ / "real.json");
  const json ours = export_json("fio", {sample("buffered", io_class::none, 1)});
  // freshet does not know some of these, and expresses the others differently.
  expect_members_of(real, ours,
                    {"sync", "iodepth_level", "iodepth_submit", "iodepth_complete", "latency_depth", "latency_target",
                     "latency_percentile", "latency_window", "disk_util"});
}

// fio-plot (fiolib/jsonparsing_support.py) and KDiskMark (Benchmark::parseResult) read members with these types.
TEST_F(export_readers, fio_plot_and_kdiskmark_find_what_they_look_for) {
  if (!test::has_program("fio")) GTEST_SKIP() << "no fio";
  ASSERT_EQ(
      run("fio --name=j --size=1M --bs=64k --rw=write --iodepth=1 --numjobs=1 --output-format=json --output=real.json"),
      0)
      << printed();
  const json real = test::parsed(place_ / "real.json");
  const json ours = export_json("fio", ten_trials(2));
  for (const char* const path : {"/fio version",
                                 "/jobs/0/jobname",
                                 "/jobs/0/error",
                                 "/jobs/0/job options/rw",
                                 "/jobs/0/job options/bs",
                                 "/jobs/0/job options/iodepth",
                                 "/jobs/0/job options/numjobs",
                                 "/jobs/0/write/bw",
                                 "/jobs/0/write/iops",
                                 "/jobs/0/write/iops_stddev",
                                 "/jobs/0/write/lat_ns/mean",
                                 "/jobs/0/write/lat_ns/stddev",
                                 "/jobs/0/write/clat_ns/mean",
                                 "/jobs/0/read/bw",
                                 "/jobs/0/read/iops",
                                 "/jobs/0/read/clat_ns/mean",
                                 "/jobs/0/latency_ns",
                                 "/jobs/0/latency_us",
                                 "/jobs/0/latency_ms",
                                 "/jobs/0/usr_cpu",
                                 "/jobs/0/sys_cpu"}) {
    const json::json_pointer at{path};
    ASSERT_TRUE(real.contains(at)) << path;
    ASSERT_TRUE(ours.contains(at)) << path;
    EXPECT_EQ(test::type_of(real[at]), test::type_of(ours[at])) << path;
  }
  EXPECT_FALSE(ours["jobs"][0]["hostname"].get<std::string>().empty());  // several plans are no jobs done at once
}

TEST_F(export_readers, benchmark_has_the_same_fields) {
  const std::string program = FRESHET_SAMPLE_BENCHMARK;
  if (program.empty()) GTEST_SKIP() << "no Google Benchmark";
  ASSERT_EQ(run(program + " --benchmark_format=json --benchmark_out=real.json"), 0) << printed();
  const json real = test::parsed(place_ / "real.json");
  const json ours = export_json("benchmark", ten_trials(2));
  expect_members_of(real["context"], ours["context"]);
  const auto entry = [](const json& all, const std::string& member, const std::string& value) {
    for (const json& each : all["benchmarks"])
      if (each.value(member, "") == value) return each;
    return json{};
  };
  for (const auto& [member, value] : std::vector<std::pair<std::string, std::string>>{{"run_type", "iteration"},
                                                                                      {"aggregate_name", "mean"},
                                                                                      {"aggregate_name", "median"},
                                                                                      {"aggregate_name", "stddev"},
                                                                                      {"aggregate_name", "cv"}})
    expect_members_of(entry(real, member, value), entry(ours, member, value), {}, value);
}

class compare_py : public export_readers {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(script_)) GTEST_SKIP() << "no compare.py (libbenchmark-tools)";
    if (run(python + " -c 'import scipy'") != 0) GTEST_SKIP() << "no python3-scipy";
  }
  int compare(const std::string& words = "") {
    return run(python + " " + script_ + " --no-color " + words + " benchmarks a.json b.json");
  }
  const std::string script_ = "/usr/share/benchmark/compare.py";
};

TEST_F(compare_py, compares_two_exports) {
  write("a.json", "benchmark", ten_trials(2));
  write("b.json", "benchmark", ten_trials(3));
  ASSERT_EQ(compare("-d found.json"), 0) << printed();
  EXPECT_THAT(printed(), HasSubstr("text/none/uring/block:1000000/depth:1/size:100000000"));
  EXPECT_THAT(printed(), HasSubstr("U Test, Repetitions: 10 vs 10"));
  int medians = 0;
  for (const json& each : test::parsed(place_ / "found.json")) {
    const std::string name = each["name"];
    if (!name.ends_with("_median")) continue;
    ++medians;
    EXPECT_NEAR(each["measurements"][0]["time"], name.find("uring") != std::string::npos ? 0.5 : 0, 1e-9) << name;
  }
  EXPECT_EQ(medians, 2);
}

TEST_F(compare_py, does_not_count_invalid_trials) {
  write("a.json", "benchmark", ten_trials(2));
  std::vector<record> records = ten_trials(2);
  for (int i = 0; i < 10; ++i)
    records.push_back(invalid(sample("uring", io_class::none, 0.01), "the disk never got it"));
  write("b.json", "benchmark", records);
  ASSERT_EQ(compare("-d found.json"), 0) << printed();
  EXPECT_THAT(printed(), Not(HasSubstr("10 vs 20")));
  const json found = test::parsed(place_ / "found.json");
  EXPECT_GE(found.size(), 2U);
  for (const json& each : found)
    for (const json& one : each["measurements"]) EXPECT_EQ(one["time"], 0) << each["name"];
}

TEST_F(export_readers, csv_is_read_back_whatever_the_names) {
  if (run(python + " -c 'import csv'") != 0) GTEST_SKIP() << "no python3";
  record odd = sample("buffered", io_class::none, 1);
  odd.label = "a \"quoted\", and\r\na line\n;|\t'";
  odd.figures.reasons = {"one", "two, three"};
  record unseen = sample("uring", io_class::none, 2);
  unseen.figures.block_latency = {};
  unseen.figures.device_writes = {};
  write("trials.csv", "csv", {odd, unseen});
  ASSERT_EQ(run(python + " -c \"import csv, json; "
                         "print(json.dumps(list(csv.DictReader(open('trials.csv', newline=''), strict=True))))\""),
            0)
      << printed();
  const json lines = json::parse(printed());
  ASSERT_EQ(lines.size(), 2U);
  for (const json& line : lines) EXPECT_FALSE(line.contains("null"));  // as many cells as the head has
  EXPECT_EQ(lines[0]["label"], odd.label);
  EXPECT_EQ(lines[0]["reasons"], "one; two, three");
  EXPECT_EQ(json::parse(lines[0]["plan_json"].get<std::string>()), odd.plan);
  EXPECT_EQ(lines[0]["seconds_to_close"], "1");
  EXPECT_EQ(lines[0]["mb_per_second_to_disk"], "50");
  EXPECT_EQ(lines[0]["device_writes"], "50");
  EXPECT_NE(lines[0]["block_latency_p99_ns"], "");
  EXPECT_EQ(lines[1]["block_latency_p99_ns"], "");
  EXPECT_EQ(lines[1]["device_writes"], "");
}

class export_command : public export_readers {
 protected:
  export_command() { setenv("XDG_CONFIG_HOME", (place_ / "config").c_str(), 1); }
  test::ended bench(const std::vector<std::string>& more) {
    // Memory as it is: trials in other states of it are other rows.
    std::vector<std::string> words{"bench",      measured_.path(), "--method", "buffered", "--size",   "1M",
                                   "--workload", "blocks",         "--rounds", "2",        "--memory", "left"};
    words.insert(words.end(), more.begin(), more.end());
    return freshet_.run(words);
  }

  test::freshet_command freshet_;
  test::temporary_directory measured_;
};

TEST_F(export_command, writes_as_many_as_are_asked_for) {
  const test::ended done = bench({"--export", "csv", place_ / "a.csv", "--export", "fio", place_ / "a.json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string csv = content_of(place_ / "a.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3) << csv;
  const json fio = test::parsed(place_ / "a.json");
  ASSERT_EQ(fio["jobs"].size(), 1U);
  EXPECT_EQ(fio["jobs"][0]["job options"]["ioengine"], "psync");
  EXPECT_EQ(fio["global options"]["directory"], measured_.path().string());
}

TEST_F(export_command, the_store_gives_the_same_of_a_run_of_the_past) {
  ASSERT_EQ(bench({"--export", "csv", place_ / "then.csv", "--export", "benchmark", place_ / "then.json"}).exit_code,
            0);
  const test::ended done = freshet_.run({"history", "--run", "last", "--export", "csv", place_ / "now.csv", "--export",
                                         "benchmark", place_ / "now.json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(content_of(place_ / "then.csv"), content_of(place_ / "now.csv"));
  EXPECT_EQ(content_of(place_ / "then.json"), content_of(place_ / "now.json"));
  EXPECT_EQ(freshet_.run({"history", "--export", "csv", "-"}).exit_code, 2);  // of which run?
}

TEST_F(export_command, gives_standard_output_to_an_export) {
  const test::ended done = bench({"--export", "benchmark", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(json::parse(done.out).contains("benchmarks"));  // and nothing else is there
}

TEST_F(export_command, refuses_an_unknown_kind_before_it_measures) {
  const test::ended done = bench({"--export", "xml", place_ / "a.xml"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("xml"));
  EXPECT_THAT(done.err, HasSubstr("hyperfine"));
  EXPECT_FALSE(std::filesystem::exists(place_ / "a.xml"));
}

TEST_F(export_command, names_the_file_that_cannot_be_written) {
  const test::ended done = bench({"--export", "csv", place_ / "missing/a.csv"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("missing/a.csv"));
}

}  // namespace
}  // namespace freshet
