// Plans as fio jobs, and fio running these jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <freshet/methods.hpp>

#include "tests/support/freshet_command.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/export/export_sample.hpp"
#include "tool/export/fio_job.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::io_class;
using tool::class_verdict;
using tool::trial_plan;

constexpr std::size_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;

std::map<std::string, std::string> options_of(const trial_plan& plan) {
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : tool::make_fio_options(plan)) options[name] = value;
  return options;
}

class_verdict won_by(const trial_plan& plan) {
  class_verdict verdict{.measured_class = plan.measured_class};
  tool::ranked_candidate& first = verdict.ranking.emplace_back();
  first.plan = plan;
  first.rate.value = 123;
  first.rate.count = 5;
  return verdict;
}

TEST(fio_job, each_method_has_its_engine) {
  const std::map<std::string, std::pair<std::string, std::string>> expected{
      {"buffered", {"psync", "0"}},  {"writebehind", {"psync", "0"}},
      {"dontcache", {"psync", "0"}}, {"direct", {"psync", "1"}},
      {"libaio", {"libaio", "1"}},   {"uring", {"io_uring", "1"}},
      {"aio", {"posixaio", "0"}},    {"uring-buffered", {"io_uring", "0"}},
      {"mmap", {"mmap", "0"}},       {"adaptive", {"psync", "0"}},
      {"null", {"null", "0"}}};
  const test::temporary_directory directory;
  for (const method_info& method : methods(directory.path())) {
    ASSERT_TRUE(expected.contains(std::string{method.name})) << method.name;
    const auto options = options_of({.method = std::string{method.name}, .block = 64 * KiB, .size = MiB});
    EXPECT_EQ(options.at("ioengine"), expected.at(std::string{method.name}).first) << method.name;
    EXPECT_EQ(options.at("direct"), expected.at(std::string{method.name}).second) << method.name;
  }
  EXPECT_EQ(tool::fio_engine("ofstream-tuned"), "");
}

TEST(fio_job, in_order_one_block_is_in_flight) {
  trial_plan plan{.method = "uring", .block = 64 * KiB, .depth = 2, .size = MiB};
  EXPECT_EQ(options_of(plan).at("iodepth"), "1");
  plan.ordered = false;
  plan.depth = 8;
  EXPECT_EQ(options_of(plan).at("iodepth"), "8");
  plan.measured_class = io_class::each_write;
  EXPECT_EQ(options_of(plan).at("iodepth"), "1");
  plan = {.method = "uring", .block = 64 * KiB, .depth = 4, .measured_class = io_class::cold, .size = MiB};
  EXPECT_EQ(options_of(plan).at("iodepth"), "4");
  EXPECT_EQ(options_of({.method = "direct", .depth = 4, .size = MiB}).at("iodepth"), "1");
}

TEST(fio_job, durability_has_its_options) {
  trial_plan plan{.method = "buffered", .block = 64 * KiB, .size = MiB};
  EXPECT_FALSE(options_of(plan).contains("end_fsync"));
  EXPECT_FALSE(options_of(plan).contains("sync"));
  plan.measured_class = io_class::at_close;
  EXPECT_EQ(options_of(plan).at("end_fsync"), "1");
  plan.measured_class = io_class::each_write;
  EXPECT_EQ(options_of(plan).at("sync"), "dsync");
  EXPECT_FALSE(options_of(plan).contains("end_fsync"));
  plan.method = "mmap";
  EXPECT_EQ(options_of(plan).at("fdatasync"), "1");
}

TEST(fio_job, reading_finds_the_cache_as_its_class_says) {
  trial_plan plan{.method = "buffered", .measured_class = io_class::cold, .size = MiB};
  EXPECT_EQ(options_of(plan).at("rw"), "read");
  EXPECT_EQ(options_of(plan).at("invalidate"), "1");
  EXPECT_FALSE(options_of(plan).contains("fallocate"));
  plan.measured_class = io_class::warm;
  EXPECT_EQ(options_of(plan).at("invalidate"), "0");
  EXPECT_EQ(options_of(plan).at("pre_read"), "1");
  plan.method = "direct";
  EXPECT_FALSE(options_of(plan).contains("pre_read"));
}

TEST(fio_job, space_is_set_aside_as_the_plan_does) {
  trial_plan plan{.method = "uring", .size = MiB};
  EXPECT_EQ(options_of(plan).at("fallocate"), "none");
  plan.reserve = true;
  EXPECT_EQ(options_of(plan).at("fallocate"), "keep");
  plan.size_ahead = true;
  EXPECT_EQ(options_of(plan).at("fallocate"), "native");
  plan.reserve = false;
  EXPECT_EQ(options_of(plan).at("fallocate"), "truncate");
  plan.target = tool::target_kind::overwrite;
  plan.jobs = 3;
  EXPECT_EQ(options_of(plan).at("overwrite"), "1");
  EXPECT_EQ(options_of(plan).at("numjobs"), "3");
}

TEST(fio_job, writebehind_writes_out_every_two_mebibytes) {
  trial_plan plan{.method = "writebehind", .block = 256 * KiB, .size = 256 * MiB};
  EXPECT_EQ(options_of(plan).at("sync_file_range"), "wait_before,write:8");
  plan.block = 64 * MiB;
  EXPECT_EQ(options_of(plan).at("sync_file_range"), "wait_before,write:1");
}

TEST(fio_job, blocks_are_no_larger_than_the_file) {
  EXPECT_EQ(options_of({.method = "uring", .block = 4 * MiB, .size = MiB}).at("bs"), std::to_string(MiB));
  EXPECT_EQ(options_of({.method = "uring", .size = MiB}).at("bs"), std::to_string(MiB));  // its own are 4 MiB
}

// A section for each winner, what fio does otherwise, and a reason for each question that has none.
TEST(fio_job, has_the_winners_of_all_questions) {
  const std::vector<class_verdict> verdicts{
      won_by({.method = "uring", .block = 64 * KiB, .depth = 2, .size = MiB}),
      class_verdict{.measured_class = io_class::cold},  // no valid trial
      won_by({.method = "ofstream-tuned", .measured_class = io_class::each_write, .size = MiB}),
      won_by({.method = "direct", .measured_class = io_class::at_close, .size = 3 * MiB})};
  const std::string job = tool::format_fio_job(verdicts, test::sample_run().env);
  EXPECT_TRUE(test::is_golden("tool/export/golden/job.fio", job));
  const std::vector<class_verdict> others{
      won_by({.method = "dontcache", .size = MiB}),
      won_by({.method = "uring",
              .block = 2 * MiB,
              .measured_class = io_class::at_close,
              .workload = tool::workload_kind::blocks,
              .size = 3 * MiB}),
      won_by({.method = "writebehind", .block = 256 * KiB, .measured_class = io_class::each_write, .size = MiB}),
      won_by({.method = "buffered",
              .measured_class = io_class::cold,
              .workload = tool::workload_kind::blocks,
              .size = MiB,
              .jobs = 2})};
  tool::environment odd = test::sample_run().env;
  odd.directory = "/a;b";
  EXPECT_TRUE(test::is_golden("tool/export/golden/job-of-others.fio", tool::format_fio_job(others, odd)));
}

class fio : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program("fio")) GTEST_SKIP() << "no fio";
  }

  // Runs the job that is made of `verdicts`, and returns what fio prints.
  json run(const std::vector<class_verdict>& verdicts, const fs::path& directory) {
    tool::environment env = test::sample_run().env;
    env.directory = directory;
    test::put(place_ / "job", tool::format_fio_job(verdicts, env));
    // Without this check, fio reports success although it could not parse the job.
    EXPECT_EQ(test::run_in(place_.path(), "fio --parse-only job"), 0) << printed();
    EXPECT_EQ(printed(), "") << test::content_of(place_ / "job");
    fs::remove(place_ / "out.json");
    EXPECT_EQ(test::run_in(place_.path(), "fio --output-format=json --output=out.json job"), 0)
        << printed() << test::content_of(place_ / "out.json") << test::content_of(place_ / "job");
    return fs::exists(place_ / "out.json") ? test::parsed(place_ / "out.json") : json{};
  }
  std::string printed() { return test::content_of(place_ / "printed"); }

  static void expect_done(const json& output, const std::vector<class_verdict>& asked) {
    ASSERT_TRUE(output.contains("jobs"));
    ASSERT_EQ(output["jobs"].size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const json& job = output["jobs"][i];
      const char* const direction = tool::reads(asked[i].measured_class) ? "read" : "write";
      EXPECT_EQ(job["error"], 0) << job["job options"];
      EXPECT_EQ(job[direction]["io_bytes"], asked[i].ranking.front().plan.size) << job["job options"];
    }
  }

  test::temporary_directory place_;
  test::temporary_directory measured_;
};

// Takes 5 s: a run of fio for each method.
TEST_F(fio, does_every_method_that_works_here) {
  // fio takes a second to start, and another one for each job.
  std::vector<method_info> here = methods(measured_.path());
  std::erase_if(here, [](const method_info& method) { return !method.available() || method.name == "null"; });
  ASSERT_FALSE(here.empty());
  for (const method_info& method : test::sample(here, 4)) {
    std::vector<class_verdict> asked;
    for (const io_class measured_class : tool::all_classes) {
      if (tool::reads(measured_class) && !method.reads) continue;
      asked.push_back(won_by({.method = std::string{method.name},
                              .block = 64 * KiB,
                              .depth = 2,
                              .reserve = measured_class == io_class::at_close,
                              .ordered = method.keeps_order,
                              .measured_class = measured_class,
                              .size = MiB}));
    }
    SCOPED_TRACE(method.name);
    expect_done(run(asked, measured_.path()), asked);
    EXPECT_TRUE(fs::is_empty(measured_.path()));
  }
}

TEST_F(fio, writes_where_it_was_measured_whatever_the_name) {
  // fio cannot take the last names as an option; such a job runs in the current directory.
  const std::vector<std::string> names{"a b", "a:b", "a=b,\xc3\xa4", "a;b", "$a\nb", "a "};
  for (const std::string& name : test::sample(names, 3)) {
    const fs::path odd = measured_ / name;
    fs::create_directory(odd);
    const std::vector<class_verdict> asked{won_by({.method = "buffered", .block = 64 * KiB, .size = MiB})};
    SCOPED_TRACE(name);
    expect_done(run(asked, odd), asked);
    EXPECT_TRUE(fs::is_empty(odd));
  }
}

TEST_F(fio, does_what_tune_found) {
  setenv("XDG_CONFIG_HOME", (place_ / "config").c_str(), 1);
  const test::freshet_command freshet;
  const fs::path job = place_ / "found.fio";
  const test::ended done =
      freshet.run({"tune", measured_.path(), "--size", "1M", "--max-bytes", "6M", "--time", "30m", "--durability",
                   "none,at_close", "--workload", "blocks", "--dry-run", "--fio-job", job});
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  const std::string text = test::content_of(job);
  std::size_t answers = 0;
  for (const std::string question : {"none", "at_close"}) {
    const bool answered = text.find("\n[" + question + "]\n") != std::string::npos;
    answers += answered ? 1 : 0;
    EXPECT_EQ(text.find("\n# " + question + ": ") == std::string::npos, answered) << text;
  }
  ASSERT_GT(answers, 0U) << text;
  ASSERT_EQ(test::run_in(place_.path(), "fio --output-format=json --output=out.json found.fio"), 0) << printed();
  const json output = test::parsed(place_ / "out.json");
  ASSERT_EQ(output["jobs"].size(), answers);
  for (const json& each : output["jobs"]) EXPECT_EQ(each["write"]["io_bytes"], MiB);
  EXPECT_TRUE(fs::is_empty(measured_.path()));
}

}  // namespace
}  // namespace freshet
