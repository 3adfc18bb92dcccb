// How signals end the command: nothing is left behind, one line says why, and the exit code is the shell's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/tool/command/kept_count.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using test::ended;

// After so many, there are valid ones on a busy machine, too.
constexpr int some_trials = 20;

class signalled : public test::measuring_command {
 protected:
  template <typename Ready>
  pid_t start_until(std::vector<std::string> words, const Ready& ready) const {
    const pid_t process = freshet_.start(std::move(words));
    while (waitpid(process, nullptr, WNOHANG) == 0 && !ready())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return process;
  }

  // Runs `line` by bash, where $0 is the command and $1 the measured directory.
  ended run_by_bash(const std::string& line) const {
    const std::string errors = outputs_ / "err";
    const std::string words = "bash -c '" + line + "' '" + test::tested_command() + "' '" + directory() + "' >'" +
                              (outputs_ / "out").string() + "' 2>'" + errors + "'";
    const int status = std::system(words.c_str());
    return {WEXITSTATUS(status), test::content_of(outputs_ / "out"), test::content_of(errors)};
  }

  void expect_ended(const ended& done, int signal, const std::string& name) const {
    EXPECT_EQ(done.exit_code, 128 + signal);
    EXPECT_THAT(done.err, HasSubstr(name));
    // Another test may measure on the same disk at the same time.
    const auto waited = done.err.find("waiting for another freshet") == std::string::npos ? 0 : 1;
    EXPECT_EQ(std::ranges::count(done.err, '\n'), waited + 1) << done.err;
    EXPECT_TRUE(nothing_left());
  }

  const std::vector<std::pair<int, std::string>> signals_ = {
      {SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGPIPE, "SIGPIPE"}, {SIGXFSZ, "ulimit -f"}};

 private:
  test::temporary_directory outputs_;
};

TEST_F(signalled, bench_leaves_nothing_and_says_why) {
  for (const auto& [signal, name] : signals_) {
    const pid_t process =
        start_until({"bench", directory(), "--size", "4M", "--rounds", "10000", "--method", "buffered"},
                    [&] { return has_trial_file(); });
    kill(process, signal);
    expect_ended(freshet_.wait_for(process), signal, name);
  }
}

TEST_F(signalled, text_leaves_no_unfinished_file) {
  for (const auto& [signal, name] : signals_) {
    const pid_t process =
        start_until({"text", file("a"), "--size", "2G", "--method", "buffered", "--write-through", "--block", "4K"},
                    [&] { return fs::exists(file("a")); });
    kill(process, signal);
    expect_ended(freshet_.wait_for(process), signal, name);
  }
}

TEST_F(signalled, tune_says_what_it_had_found) {
  for (const auto& [signal, name] : signals_) {
    const int before = test::count_kept_trials(freshet_);
    const pid_t process = start_until(
        {"tune", directory(), "--dry-run", "--size", "4M", "--max-bytes", "100G", "--time", "30m", "--class", "none"},
        [&] { return test::count_kept_trials(freshet_) > before + some_trials; });
    kill(process, signal);
    const ended done = freshet_.wait_for(process);
    expect_ended(done, signal, name);
    EXPECT_THAT(done.err, HasSubstr("best so far none: "));
    EXPECT_THAT(done.err, HasSubstr("nothing was saved"));
  }
}

TEST_F(signalled, bench_says_what_it_had_found) {
  const pid_t process = start_until(
      {"bench", directory(), "--size", "1M", "--rounds", "10000", "--method", "buffered,stdio", "--workload", "blocks"},
      [&] { return test::count_kept_trials(freshet_) > some_trials; });
  kill(process, SIGINT);
  EXPECT_THAT(freshet_.wait_for(process).err, HasSubstr("best so far none: "));
}

// The command waits for ever when it opens a pipe that nobody reads. A third signal ends it; two that arrive at once
// count as one.
TEST_F(signalled, twice_ends_at_once) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  const pid_t process = freshet_.start({"text", file("pipe"), "--size", "1M"});
  std::this_thread::sleep_for(std::chrono::seconds{1});
  kill(process, SIGINT);
  kill(process, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), 0);
  kill(process, SIGINT);
  EXPECT_EQ(freshet_.wait_for(process).exit_code, -SIGINT);
}

TEST_F(signalled, by_a_pipe_that_nobody_reads) {
  expect_ended(run_by_bash("\"$0\" tune \"$1\" --dry-run --size 1M --max-bytes 32M --time 30m --class none "
                           "--no-store | head -1; exit ${PIPESTATUS[0]}"),
               SIGPIPE, "nobody reads the output");
  expect_ended(run_by_bash("\"$0\" methods \"$1\" | true; exit ${PIPESTATUS[0]}"), SIGPIPE, "nobody reads the output");
}

TEST_F(signalled, by_a_limit_of_file_sizes) {
  std::vector<std::string> calls{"text \"$1/a\" --size 4M --method buffered", "bench \"$1\" --size 4M --rounds 2",
                                 "tune \"$1\" --size 4M --max-bytes 1G --time 30m --dry-run"};
  if (test::has_command("bytes")) calls.emplace_back("bytes \"$1/a\" --size 4M --rounds 1");
  for (const std::string& words : calls)
    expect_ended(run_by_bash("ulimit -f 100; \"$0\" " + words + " --no-store >/dev/null"), SIGXFSZ, "ulimit -f");
}

}  // namespace
}  // namespace freshet
