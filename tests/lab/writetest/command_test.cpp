// `freshet writetest` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <freshet/methods.hpp>

#include "lab/writetest/report.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class writetest_command : public test::measuring_command {
 protected:
  writetest_command() : measuring_command{test::undisturbed_place()} {}

  static std::vector<std::string> words(std::vector<std::string> more) {
    more.insert(more.begin(), "writetest");
    return more;
  }
  ended run(std::vector<std::string> more) const { return freshet_.run(words(std::move(more))); }
  // Runs it in the directory of this test.
  ended run_here(std::vector<std::string> more) const {
    more.insert(more.end(), {"--output-dir", directory()});
    return run(std::move(more));
  }
  nlohmann::json result_of(std::vector<std::string> more) const {
    more.insert(more.end(), {"--json", "-"});
    const ended done = test::undisturbed([&] { return run_here(more); });
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  }
};

// The beginning of each line that reports a write: "cycle aio 1/2".
std::vector<std::string> writes_in(const std::string& text) {
  std::vector<std::string> writes;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string phase;
    std::string method;
    std::string round;
    if (words >> phase >> method >> round && (phase == "cycle" || phase == "sequential"))
      writes.push_back(fmt::format("{} {} {}", phase, method, round));
  }
  return writes;
}

TEST_F(writetest_command, writes_in_turn_then_method_by_method) {
  const ended done = run_here({"--i", "2", "--mb", "1", "--genio", "--aio", "--stdio"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(writes_in(done.out),
              ElementsAre("cycle stdio 1/2", "cycle aio 1/2", "cycle genio 1/2", "cycle stdio 2/2", "cycle aio 2/2",
                          "cycle genio 2/2", "sequential stdio 1/2", "sequential stdio 2/2", "sequential aio 1/2",
                          "sequential aio 2/2", "sequential genio 1/2", "sequential genio 2/2"));
  EXPECT_THAT(done.out, StartsWith(format_write_heading()));
  EXPECT_THAT(done.out, ContainsRegex("\n\nCycle: all methods in turn, new files\n +method .*"
                                      "\n\nSequential: method by method, new files\n +method "));
  EXPECT_THAT(done.out, EndsWith("\nMB are 2^20 bytes, GB 10^9; from-to: the slowest and the fastest round\n"
                                 "written in all: 12 MiB\n"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(writetest_command, takes_the_three_original_methods_by_default) {
  EXPECT_THAT(writes_in(run_here({"--b", "64K"}).out),
              ElementsAre("cycle stdio 1/1", "cycle aio 1/1", "cycle genio 1/1", "sequential stdio 1/1",
                          "sequential aio 1/1", "sequential genio 1/1"));
}

TEST_F(writetest_command, has_its_figures_in_json) {
  const nlohmann::json all = result_of({"--i", "2", "--b", "65537", "--stdio", "--buffered"});
  ASSERT_EQ(all["trials"].size(), 8U);
  std::vector<std::string> trials;
  for (const nlohmann::json& trial : all["trials"]) {
    trials.push_back(fmt::format("{} {} {} {}", trial["phase"].get<std::string>(), trial["method"].get<std::string>(),
                                 trial["round"].get<int>(), trial["position"].get<int>()));
    EXPECT_EQ(trial["bytes"], 65537);
    EXPECT_NE(trial["verdict"], "invalid") << trial["reasons"];
    EXPECT_GE(trial["seconds_to_disk"].get<double>(), trial["seconds_to_close"].get<double>());
  }
  EXPECT_THAT(trials, ElementsAre("cycle stdio 0 0", "cycle buffered 0 1", "cycle stdio 1 0", "cycle buffered 1 1",
                                  "sequential stdio 2 0", "sequential stdio 3 0", "sequential buffered 2 1",
                                  "sequential buffered 3 1"));
  for (const auto* phase : {"cycle", "sequential"}) EXPECT_EQ(all[phase][0]["plan"]["target"], "new");
  EXPECT_EQ(all["rounds"], 2);
  EXPECT_EQ(all["bytes_written"], 8 * 65537);
  const double mean =
      (all["trials"][0]["seconds_to_close"].get<double>() + all["trials"][2]["seconds_to_close"].get<double>()) / 2;
  EXPECT_NEAR(all["cycle"][0]["to_close"]["mean_seconds"].get<double>(), mean, 1e-12);
  EXPECT_EQ(all["cycle"][1]["method"], "genio");
  EXPECT_EQ(all["sequential"][1]["trials"], 2);
}

TEST_F(writetest_command, overwrites_only_in_the_sequential_rounds_and_only_when_told_to) {
  const nlohmann::json over = result_of({"--b", "64K", "--genio", "--target", "overwrite"});
  EXPECT_EQ(over["cycle"][0]["plan"]["target"], "new");
  EXPECT_EQ(over["sequential"][0]["plan"]["target"], "overwrite");
  EXPECT_EQ(over["bytes_written"], 3 << 16);
}

TEST_F(writetest_command, knows_every_method_by_its_name) {
  std::vector<std::string> wanted{"--b", "64K", "--stdio-unlocked", "--ofstream-tuned", "--fmt"};
  std::size_t count = 3;
  for (const method_info& method : methods(directory()))
    if (method.available() && method.name != "null") {
      wanted.push_back("--" + method.name);
      ++count;
    }
  ASSERT_GT(count, 3U) << "no method works";
  const nlohmann::json all = result_of(wanted);
  EXPECT_EQ(all["cycle"].size(), count);
  EXPECT_EQ(all["trials"].size(), 2 * count);
  for (const nlohmann::json& made : all["trials"]) EXPECT_NE(made["verdict"], "invalid") << made["reasons"];
}

TEST_F(writetest_command, refuses_a_method_that_does_not_work_there) {
  std::optional<method_info> missing;
  for (const method_info& method : methods(directory()))
    if (!method.available()) missing = method;
  if (!missing) GTEST_SKIP() << "all methods work in " << directory();
  const ended tried = run_here({"--b", "64K", "--stdio", "--" + missing->name});
  EXPECT_EQ(tried.exit_code, 1);
  EXPECT_THAT(tried.err, AllOf(HasSubstr("use " + missing->name), HasSubstr(missing->why_not)));
  EXPECT_THAT(tried.out, IsEmpty());
}

TEST_F(writetest_command, creates_its_directory_and_removes_it) {
  const ended done = run({"--output-dir", file("new"), "--b", "64K", "--stdio"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(nothing_left());
  fs::create_directory(file("old"));
  std::ofstream{file("old/mine")} << "precious";
  EXPECT_EQ(run({"--output-dir", file("old"), "--b", "64K", "--stdio", "--target", "overwrite"}).exit_code, 0);
  EXPECT_EQ(content_of(file("old/mine")), "precious");
}

TEST_F(writetest_command, writes_to_dot_test_where_no_directory_is_given) {
  const fs::path before = fs::current_path();
  fs::current_path(directory());
  const ended done = run({"--b", "64K", "--stdio", "--json", file("result")});
  fs::current_path(before);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto environment = nlohmann::json::parse(content_of(file("result")))["environment"];
  EXPECT_THAT(environment["directory"].get<std::string>(), EndsWith("/.test"));
  EXPECT_FALSE(fs::exists(file(".test")));
}

TEST_F(writetest_command, exits_2_for_wrong_usage) {
  const std::vector<std::vector<std::string>> wrong = {{"--i", "0"},
                                                       {"--i", "-1"},
                                                       {"--i", "many"},
                                                       {"--i"},
                                                       {"--mb", "0"},
                                                       {"--mb", "-1"},
                                                       {"--mb", "1.5"},
                                                       {"--mb", "1G"},
                                                       {"--mb", ""},
                                                       {"--mb", "99999999999999999999"},
                                                       {"--b", "0"},
                                                       {"--b", "few"},
                                                       {"--mb", "1", "--b", "1"},
                                                       {"--target", "old"},
                                                       {"--memory", "none"},
                                                       {"--posix"},
                                                       {"--null"},
                                                       {"--freshet-naive"},
                                                       {"directory"},
                                                       {"--store", "a", "--no-store"},
                                                       {"--export", "word", "a"}};
  for (const auto& each : wrong) {
    const ended tried = run_here(each);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(each);
    EXPECT_THAT(tried.out, IsEmpty());
    EXPECT_THAT(tried.err, Not(IsEmpty()));
  }
  EXPECT_THAT(run_here({"--mb", "0"}).err, HasSubstr("--mb: the file size must be at least 1 byte"));
  EXPECT_THAT(run({"--output-dir", ""}).err, HasSubstr("--output-dir: it must not be empty"));
  EXPECT_THAT(run_here({"--mb", "1G"}).err, HasSubstr("\"1G\" is not a number of MB"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(writetest_command, exits_1_with_the_reason) {
  std::ofstream{file("file")} << "precious";
  const std::vector<std::pair<std::vector<std::string>, std::string>> failing = {
      {{"--output-dir", file("none/test")}, "none/test': No such file or directory"},
      {{"--output-dir", file("file")}, "create the directory '" + file("file") + "': Not a directory"},
      {{"--output-dir", file("new"), "--mb", "1024", "--max-bytes", "5G"},
       "6 GiB would be written, which is more than --max-bytes allows, 5 GiB"},
      {{"--output-dir", file("new"), "--mb", "4000000000", "--max-bytes", "8000000T", "--stdio"},
       "No space left on device"}};
  for (const auto& [words, reason] : failing) {
    const ended tried = run(words);
    EXPECT_EQ(tried.exit_code, 1) << testing::PrintToString(words);
    EXPECT_THAT(tried.err, HasSubstr(reason));
    EXPECT_THAT(tried.out, IsEmpty());
  }
  EXPECT_EQ(content_of(file("file")), "precious");
  EXPECT_FALSE(fs::exists(file("new")));
}

TEST_F(writetest_command, names_a_directory_that_may_not_be_written) {
  if (::geteuid() == 0) fs::permissions(directory(), fs::perms{0755});
  fs::create_directory(file("closed"));
  fs::permissions(file("closed"), fs::perms{0555});
  const test::ordinary_user user;
  const test::freshet_command freshet;
  for (const std::string& each : {file("closed"), file("closed/test")}) {
    const ended tried = freshet.run(words({"--output-dir", each, "--b", "64K"}));
    EXPECT_EQ(tried.exit_code, 1);
    EXPECT_THAT(tried.err, AllOf(HasSubstr(each), HasSubstr("Permission denied")));
    EXPECT_THAT(tried.out, IsEmpty());
  }
}

TEST_F(writetest_command, says_which_writes_failed_for_lack_of_space) {
  const test::mounted_image small{directory(), "tmpfs", 4 << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  const std::vector<std::string> too_large{"--output-dir", small.path(), "--mb", "6", "--i", "2", "--stdio", "--genio"};
  const ended refused = run(too_large);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("6 MiB are wanted and 4 MiB free; --force tries nevertheless"));
  std::vector<std::string> forced = too_large;
  forced.emplace_back("--force");
  const ended failed = run(forced);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(writes_in(failed.out),
              ElementsAre("cycle stdio 1/2", "cycle genio 1/2", "sequential stdio 1/2", "sequential genio 1/2"));
  EXPECT_THAT(failed.out, ContainsRegex("cycle +genio +1/2 +failed: write .*No space left on device\n"));
  EXPECT_THAT(failed.err, AllOf(HasSubstr("freshet writetest: cycle, stdio: write '"),
                                HasSubstr("freshet writetest: sequential, genio: write '")));
  EXPECT_TRUE(fs::is_empty(small.path()));
}

TEST_F(writetest_command, leaves_nothing_after_a_signal) {
  constexpr std::array<std::pair<int, int>, 2> expected = {{{SIGINT, 130}, {SIGTERM, 143}}};
  for (const auto& [signal, exit_code] : expected) {
    const pid_t process = freshet_.start(words({"--output-dir", file("new"), "--mb", "1", "--i", "10000", "--genio"}));
    const auto writes = [&] {
      std::error_code ignored;
      return fs::exists(file("new")) && !fs::is_empty(file("new"), ignored) && !ignored;
    };
    while (waitpid(process, nullptr, WNOHANG) == 0 && !writes())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    kill(process, signal);
    EXPECT_EQ(freshet_.wait_for(process).exit_code, exit_code);
    EXPECT_TRUE(nothing_left());
  }
}

TEST_F(writetest_command, keeps_its_trials_where_all_are_kept) {
  ASSERT_EQ(run_here({"--i", "2", "--b", "64K", "--genio"}).exit_code, 0);
  const ended shown = freshet_.run({"history", "--json", "-"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const nlohmann::json one = nlohmann::json::parse(shown.out)["runs"][0];
  EXPECT_EQ(one["command"], "writetest");
  EXPECT_EQ(one["trials"], 4);
}

TEST_F(writetest_command, exports_its_trials_and_then_prints_nothing_else) {
  const ended done = run_here({"--b", "64K", "--stdio", "--no-store", "--export", "csv", "-"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("run,trial,command,"));
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 3);
}

TEST_F(writetest_command, shows_its_progress_on_a_terminal) {
  const ended done = freshet_.run_on_terminal(words({"--output-dir", directory(), "--b", "64K", "--stdio", "--genio"}));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("write 2 of 4, cycle: genio"));
}

TEST_F(writetest_command, says_its_version_and_helps) {
  const ended version = run({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "freshet writetest " FRESHET_VERSION "\n");
  EXPECT_TRUE(helps_with_an_example("writetest"));
}

TEST_F(writetest_command, has_the_options_of_the_original_program) {
  const ended help = freshet_.run({"help", "writetest", "--json"});
  const nlohmann::json described = nlohmann::json::parse(help.out);
  std::map<std::string, nlohmann::json> options;
  for (const nlohmann::json& each : described["commands"][0]["options"])
    for (const nlohmann::json& name : each["names"]) options[name] = each;
  for (const char* const name : {"--i", "--mb", "--b", "--target"}) EXPECT_TRUE(options.contains(name)) << name;
  EXPECT_THAT(options["--output-dir"]["help"].get<std::string>(), EndsWith(" (.test)"));
  for (const char* const method : {"--stdio", "--aio", "--genio", "--uring", "--libaio", "--direct"})
    EXPECT_EQ(options[method]["group"], "Methods (--stdio --aio --genio where none is given)") << method;
}

TEST_F(writetest_command, makes_a_call_for_each_block_or_one_for_the_whole_file) {
  const auto calls = [&](const std::string& block, const std::string& method) {
    const nlohmann::json result = result_of({"--b", "1M", method, "--block", block});
    std::vector<std::uint64_t> all;
    for (const nlohmann::json& trial : result.at("trials")) all.push_back(trial.at("write_calls"));
    return *std::ranges::min_element(all);
  };
  for (const std::string method : {"--stdio", "--genio"}) {
    EXPECT_EQ(calls("whole", method), 1U) << method;
    EXPECT_EQ(calls("64K", method), 16U) << method;
  }
  EXPECT_GE(calls("whole", "--aio"), 1U);
}

TEST_F(writetest_command, refuses_blocks_for_methods_that_choose_their_own) {
  const ended done = run_here({"--b", "64K", "--uring", "--block", "whole"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--block: uring has blocks of its own"));
  EXPECT_EQ(run_here({"--mb", "4096", "--block", "whole"}).exit_code, 2);
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace freshet::tool
