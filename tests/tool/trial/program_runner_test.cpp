// Programs of the user's, as trials.
#include "tool/trial/program_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <freshet/error.hpp>

#include "tests/support/instant_memory.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class programs : public testing::Test {
 protected:
  trial_result run(const std::string& words, program_request request = {}, io_class measured_class = io_class::none) {
    program_runner runner{directory_.path(), std::move(request), test::no_preparation()};
    return runner.run({.method = words, .measured_class = measured_class, .memory = memory_state::left});
  }
  [[nodiscard]] std::string file(const std::string& name) const { return directory_ / name; }

  // Whether the process whose id a program wrote into a file has ended.
  [[nodiscard]] bool has_ended(const std::string& name) const {
    std::ifstream in{file(name)};
    int id = 0;
    return in >> id && ::kill(id, 0) != 0 && errno == ESRCH;
  }

  static void expect_failed(const trial_result& trial, const std::string& why) {
    EXPECT_TRUE(trial.work_failed);
    EXPECT_EQ(trial.validity, trial_validity::invalid);
    EXPECT_THAT(trial.reasons, ElementsAre(HasSubstr(why)));
  }

  test::temporary_directory directory_;
};

TEST_F(programs, are_measured_with_all_that_they_start) {
  const trial_result trial = run("head -c 30000000 /dev/zero | tee {} | sha256sum >/dev/null");
  EXPECT_FALSE(trial.work_failed) << testing::PrintToString(trial.reasons);
  EXPECT_EQ(trial.bytes, 30'000'000U);
  EXPECT_EQ(trial.bytes_written, 30'000'000U);
  // The kernel may already have taken a page back.
  EXPECT_GT(trial.page_cache, 29'000'000U);
  EXPECT_LE(trial.page_cache, 30'000'000U);
  EXPECT_GT(trial.seconds_to_close, 0.001);
  EXPECT_GE(trial.seconds_to_disk, trial.seconds_to_close);
  EXPECT_GT(trial.cpu_process, 0.005) << "the sum of 30 MB takes that and more";
  EXPECT_GE(trial.cpu_whole, trial.cpu_process);
  EXPECT_GT(trial.write_calls, 0U);
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(programs, get_the_name_of_their_file_at_the_end_where_they_do_not_say_where) {
  std::ofstream{file("from")} << "text";
  EXPECT_EQ(run("cp " + file("from")).bytes, 4U);
}

TEST_F(programs, have_the_memory_that_they_took) {
  constexpr std::uint64_t mib = 1 << 20;
  const auto memory = [&](const std::string& piece) {
    return run("dd if=/dev/zero of={} count=1 status=none bs=" + piece).peak_memory.value_or(0);
  };
  const std::uint64_t little = memory("64K");
  EXPECT_GT(little, mib / 4);
  EXPECT_LT(little, 40 * mib);
  EXPECT_GT(memory("64M"), 64 * mib);
}

TEST_F(programs, that_fail_are_told_with_what_they_said) {
  expect_failed(run("echo no paper >&2; false"), "the program ended with exit code 1: no paper");
  expect_failed(run("/no/such/program"), "the program ended with exit code 127: ");
  expect_failed(run("kill -SEGV $$"), "was killed by signal 11");
  expect_failed(run("true"), "the program wrote nothing into the file that it was given");
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(programs, that_take_too_long_are_ended) {
  expect_failed(run("echo $$ >" + file("id") + "; exec sleep 600 #", {.time_limit = 0.3}), "did not end within 0.3 s");
  EXPECT_TRUE(has_ended("id"));
}

// Those that stay in the group, and those that leave it.
TEST_F(programs, that_leave_processes_behind_are_told_and_these_are_ended) {
  expect_failed(run("sleep 600 & echo $! >" + file("id") + "; echo text >"), "left processes behind: sleep");
  EXPECT_TRUE(has_ended("id"));
  const std::string alone = "setsid sh -c 'echo $$ >" + file("other") + "; exec sleep 600' & ";
  expect_failed(run(alone + "until [ -s " + file("other") + " ]; do sleep 0.01; done; echo text >"),
                "left processes behind: sleep");
  EXPECT_TRUE(has_ended("other"));
}

TEST_F(programs, may_wait_for_what_they_start) { EXPECT_FALSE(run("sleep 0.05 & wait; echo text >").work_failed); }

TEST_F(programs, write_what_the_check_wants) {
  EXPECT_FALSE(run("echo right >", {.check = "grep -q right"}).work_failed);
  expect_failed(run("echo wrong >", {.check = "cat {}; grep -q right"}),
                "wrote a wrong file: the check ended with exit code 1: wrong");
}

TEST_F(programs, have_the_size_that_they_are_said_to_have_where_they_leave_no_file) {
  const trial_result trial = run("head -c 1000000 /dev/zero | cat >/dev/null; true", {.size = 1'000'000});
  EXPECT_FALSE(trial.work_failed) << testing::PrintToString(trial.reasons);
  EXPECT_EQ(trial.bytes, 1'000'000U);
  EXPECT_FALSE(trial.page_cache);
}

TEST_F(programs, read_a_file_that_is_in_memory) {
  const trial_result trial = run("cat {} >/dev/null", {.size = 1 << 20}, io_class::warm);
  EXPECT_FALSE(trial.work_failed) << testing::PrintToString(trial.reasons);
  EXPECT_GT(trial.bytes, (1U << 20) - 100);
  EXPECT_EQ(trial.bytes_cached, trial.bytes);
  expect_failed(run("echo text >", {.size = 1 << 20}, io_class::warm), "changed the file that it was to read");
}

TEST_F(programs, read_one_file_again_and_again) {
  program_runner runner{directory_.path(), {.size = 1 << 20}, test::no_preparation()};
  const trial_plan plan{.method = "cat {} >/dev/null", .measured_class = io_class::warm};
  EXPECT_GT(runner.run(plan).bytes_written, 0U);
  EXPECT_EQ(runner.run(plan).bytes_written, 0U);
}

TEST_F(programs, write_no_more_than_they_may) {
  program_runner runner{directory_.path(), {.max_bytes = 2500}, test::no_preparation()};
  const trial_plan plan{.method = "head -c 1000 /dev/zero >"};
  EXPECT_EQ(runner.run(plan).bytes, 1000U);
  EXPECT_EQ(runner.run(plan).bytes, 1000U);
  try {
    static_cast<void>(runner.run(plan));
    ADD_FAILURE() << "wrote more";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), std::errc::file_too_large);
    EXPECT_THAT(refused.what(), AllOf(HasSubstr(directory_.path().string()), HasSubstr("--max-bytes")));
  }
}

}  // namespace
}  // namespace freshet::tool
