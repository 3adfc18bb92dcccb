// The command as a user runs it: what it prints, how it exits, what it leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using test::content_of;
using test::ended;

class command : public test::measuring_command {
 protected:
  pid_t start(std::vector<std::string> words) const { return freshet_.start(std::move(words)); }
  ended wait_for(pid_t process) const { return freshet_.wait_for(process); }
  ended run(std::vector<std::string> words) const { return freshet_.run(std::move(words)); }

  // A bench that goes on until it is stopped, and has begun to write.
  pid_t start_endless_bench() const {
    const pid_t process = start({"bench", directory(), "--size", "4M", "--rounds", "10000", "--method", "buffered"});
    while (waitpid(process, nullptr, WNOHANG) == 0 && !has_trial_file())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return process;
  }
};

TEST_F(command, says_its_version_and_helps) {
  const ended version = run({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "freshet " FRESHET_VERSION "\n");
  const ended help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, Not(IsEmpty()));
  for (const std::string name : {"text", "bench", "methods", "doctor", "profile"})
    EXPECT_EQ(run({name, "--help"}).exit_code, 0);
}

TEST_F(command, exits_2_for_wrong_usage_and_does_nothing) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"no-such-command"},
      {"text"},
      {"text", file("a"), "--size"},
      {"text", file("a"), "--size", "12X"},
      {"text", file("a"), "--size", "-1"},
      {"text", file("a"), "--size", "99999999999G"},
      {"text", file("a"), "--block", "5000"},
      {"text", file("a"), "--block", "128M"},
      {"text", file("a"), "--depth", "65"},
      {"text", file("a"), "--method", "no-such-method"},
      {"text", file("a"), "--durability", "maybe"},
      {"text", file("a"), "--no-cache", "--method", "uring"},
      {"text", file("a"), "--write-through", "--durability", "none"},
      {"bench", directory(), "--method", "buffered,no-such-method"},
      {"bench", directory(), "--method", "buffered,"},
      {"bench", directory(), "--rounds", "0"},
      {"bench", directory(), "--jobs", "0"},
      {"bench", directory(), "--order", "backwards"},
      {"bench", directory(), "--target", "old"},
      {"bench", directory(), "--workload", "bytes"},
      {"bench", directory(), "--size-ahead"},
      {"bench", directory(), "--size", "1M,2M"},
  };
  for (const auto& words : wrong) {
    const ended tried = run(words);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(tried.out, IsEmpty());
    EXPECT_FALSE(tried.err.empty());
  }
  EXPECT_TRUE(nothing_left());
}

// If a value is empty, zero or malformed, one line names the option, nothing is measured, and nothing is left behind.
TEST_F(command, refuses_each_wrong_value_in_the_same_way) {
  const std::string out = file("out");
  std::vector<std::vector<std::string>> wrong = {
      {"tune", directory(), "--size", "0"},
      {"bench", directory(), "--size", "0"},
      {"text", out, "--size", "0"},
      {"bytes", out, "--size", "0"},
      {"peers", directory(), "--size", "0"},
      {"tune", directory(), "--max-bytes", "0"},
      {"bench", directory(), "--max-bytes", "0"},
      {"sweep", directory(), "--max-bytes", "0"},
      {"bench", directory(), "--block", "0"},
      {"text", out, "--block", "0"},
      {"bench", directory(), "--depth", "0"},
      {"text", out, "--depth", "0"},
      {"tune", directory(), "--time", "0"},
      {"sweep", directory(), "--time", "1e300"},
      {"peers", directory(), "--time-limit", "nan"},
      {"bench", directory(), "--rounds", "0"},
      {"sweep", directory(), "--rounds", "0"},
      {"bench", directory(), "--order", "foo"},
      {"bench", directory(), "--seed", "one"},
      {"bench", directory(), "--method", ""},
      {"bench", directory(), "--json", ""},
      {"tune", directory(), "--fio-job", ""},
      {"bench", directory(), "--store", ""},
      {"bench", directory(), "--export", "csv", ""},
      {"peers", directory(), "--only", ""},
      {"report", "--out", ""},
      {"history", "--store", ""},
      {"history", "--command", ""},
      {"history", "--directory", ""},
      {"history", "--since", "2020-1"},
      {"compare", "--since", "2020-13-45"},
      {"compare", "--since", "2021-02-29"},
      {"compare", "--since", "2021-02-28T24"},
      {"compare", "1", "2", "--run", "-1"},
      {"tune", directory(), "--json", "-", "--fio-job", "-"},
      {"bench", directory(), "--json", "-", "--export", "csv", "-"},
  };
  test::leave_out_missing(wrong);
  for (const auto& words : wrong) {
    const ended tried = run(words);
    const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("--"); });
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(tried.out, IsEmpty());
    EXPECT_THAT(tried.err, HasSubstr(words.back() == "-" ? "--" : *option)) << testing::PrintToString(words);
    EXPECT_EQ(std::ranges::count(tried.err, '\n'), 2) << tried.err;
  }
  for (const char* name : {"bytes", "sweep", "peers", "tune", "bench", "text", "methods", "doctor", "profile"}) {
    if (!test::has_command(name)) continue;
    const ended tried = run({name, ""});
    EXPECT_EQ(tried.exit_code, 2) << name;
    EXPECT_THAT(tried.err, HasSubstr("must not be empty"));
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(command, helps_in_printable_letters) {
  for (const char* name : {"tune", "bench", "text", "peers", "sweep", "writetest"})
    for (const char letter : run({name, "--help"}).out) EXPECT_TRUE(letter == '\n' || letter < 0 || letter >= ' ');
}

TEST_F(command, names_the_malformed_size) {
  EXPECT_THAT(run({"text", file("a"), "--size", "12X"}).err, HasSubstr("\"12X\" is not a size"));
  EXPECT_THAT(run({"text", file("a"), "--size", "-1"}).err, HasSubstr("must not be negative"));
  EXPECT_THAT(run({"text", file("a"), "--size", "99999999999G"}).err, HasSubstr("too large"));
}

// Expects exit code 1 and a message with `reason` and nothing else.
void expect_failure(const ended& tried, const std::string& reason) {
  EXPECT_EQ(tried.exit_code, 1);
  EXPECT_THAT(tried.out, IsEmpty());
  EXPECT_THAT(tried.err, testing::StartsWith("freshet: "));
  EXPECT_THAT(tried.err, HasSubstr(reason));
  EXPECT_EQ(std::count(tried.err.begin(), tried.err.end(), '\n'), 1);
}

TEST_F(command, exits_1_with_the_reason) {
  expect_failure(run({"text", file("none/a"), "--size", "1M"}), "No such file or directory");
  expect_failure(run({"text", directory(), "--size", "1M"}), "Is a directory");
  expect_failure(run({"text", file("a"), "--size", "4000000G"}), "--force");
  expect_failure(run({"text", file("a"), "--size", "1M", "--method", "mmap"}), "order");
  expect_failure(run({"bench", file("none"), "--size", "1M"}), "No such file or directory");
  expect_failure(run({"bench", directory(), "--size", "4000000G", "--max-bytes", "8000000T", "--method", "buffered"}),
                 "--force");
  expect_failure(run({"bench", directory(), "--size", "1G", "--max-bytes", "2G", "--method", "buffered"}),
                 "--max-bytes");
  expect_failure(run({"methods", file("none")}), "No such file or directory");
  expect_failure(run({"doctor", file("none")}), "No such file or directory");
  EXPECT_TRUE(nothing_left());
}

// If one of these commands began to measure, it would take long and leave files behind.
TEST_F(command, refuses_outputs_that_could_not_be_written_before_it_measures) {
  fs::create_directory(file("in"));
  std::ofstream{file("in/a")} << "one\n";
  std::vector<std::vector<std::string>> measuring = {
      {"bench", directory(), "--size", "1M", "--rounds", "100"},
      {"bytes", file("bytes")},
      {"encrypt", file("in"), file("out")},
      {"sweep", directory()},
      {"text", file("text")},
      {"tune", directory(), "--dry-run"},
      {"writetest", "--output-dir", file("test"), "--mb", "1", "--i", "100"}};
  test::leave_out_missing(measuring);
  const std::vector<std::vector<std::string>> outputs = {{"--json"}, {"--export", "csv"}};
  for (const auto& call : measuring)
    for (const auto& output : outputs) {
      std::vector<std::string> words = call;
      words.insert(words.end(), output.begin(), output.end());
      words.push_back(file("none/result"));
      expect_failure(run(words), "write '" + file("none/result") + "': No such file or directory");
      words.back() = directory();
      expect_failure(run(words), "write '" + directory() + "': Is a directory");
      words.back() = file("in/a/result");
      expect_failure(run(words), "write '" + file("in/a/result") + "': Not a directory");
    }
  expect_failure(run({"tune", directory(), "--dry-run", "--fio-job", file("none/job")}),
                 "write '" + file("none/job") + "': No such file or directory");
  fs::remove_all(file("in"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(command, leaves_old_outputs_unchanged_when_it_refuses) {
  std::ofstream{file("old")} << "precious";
  expect_failure(
      run({"bench", directory(), "--size", "1M", "--json", file("old"), "--export", "csv", file("none/result")}),
      "none/result");
  EXPECT_EQ(content_of(file("old")), "precious");
}

TEST_F(command, refuses_outputs_that_the_user_may_not_write) {
  fs::create_directory(file("closed"));
  std::ofstream{file("closed/old")} << "precious";
  fs::permissions(file("closed/old"), fs::perms{0444});
  fs::permissions(file("closed"), fs::perms{0555});
  fs::permissions(directory(), fs::perms{0777});
  {
    const test::ordinary_user user;
    const test::freshet_command freshet;
    for (const std::string& result : {file("closed/old"), file("closed/new")})
      expect_failure(freshet.run({"bench", directory(), "--size", "1M", "--json", result}),
                     "write '" + result + "': Permission denied");
  }
  EXPECT_EQ(content_of(file("closed/old")), "precious");
  fs::permissions(file("closed"), fs::perms::owner_all);
}

TEST_F(command, says_that_the_disk_is_full_and_that_output_is_lost) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_failure(run({"text", "/dev/full", "--size", "1M"}), "No space left on device");
  const std::string words = std::string{FRESHET_COMMAND} + " methods " + directory() + " >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(words.c_str())), 1);
  for (const std::string where : {">/dev/full", ">&-"}) {
    const std::string json =
        std::string{FRESHET_COMMAND} + " methods " + directory() + " --json - " + where + " 2>" + file("error");
    EXPECT_EQ(WEXITSTATUS(std::system(json.c_str())), 1) << where;
    EXPECT_THAT(content_of(file("error")), StartsWith("freshet: standard output: ")) << where;
  }
}

// Root may write to every directory, except on a file system that is mounted read-only.
TEST_F(command, refuses_a_directory_that_cannot_be_written_to) {
  const bool is_root = geteuid() == 0;
  std::optional<test::mounted_image> mounted;
  std::string place = directory();
  if (is_root) {
    mounted.emplace(directory(), "tmpfs", 16 << 20);
    if (!mounted->why_not().empty() || !mounted->make_read_only()) GTEST_SKIP() << mounted->why_not();
    place = mounted->path();
  } else {
    fs::permissions(place, fs::perms::owner_read | fs::perms::owner_exec);
  }
  const std::string reason = is_root ? "Read-only file system" : "Permission denied";
  expect_failure(run({"text", place + "/a", "--size", "4K"}), reason);
  expect_failure(run({"bench", place, "--size", "4K"}), reason);
  const ended tuned = run({"tune", place, "--size", "1M", "--dry-run"});
  EXPECT_EQ(tuned.exit_code, 1);
  EXPECT_THAT(tuned.err, HasSubstr(reason));
  if (!is_root) fs::permissions(place, fs::perms::owner_all);
}

TEST_F(command, text_creates_the_file_whatever_the_options) {
  const std::vector<std::vector<std::string>> options = {{},
                                                         {"--reserve"},
                                                         {"--write-through"},
                                                         {"--sequential"},
                                                         {"--durability", "at_close"},
                                                         {"--block", "64K", "--depth", "2"}};
  for (const auto& each : options) {
    std::vector<std::string> words = {"text", file("a"), "--size", "1M"};
    words.insert(words.end(), each.begin(), each.end());
    const nlohmann::json trial = json_of(words).at("trial");
    EXPECT_EQ(trial.at("bytes"), 1'048'525);
    EXPECT_EQ(trial.at("lines"), 17'822);
    EXPECT_EQ(fs::file_size(file("a")), 1'048'525U);
  }
}

TEST_F(command, text_bypasses_the_cache) {
  const test::temporary_directory disk{test::disk_place()};
  if (const auto reason = test::why_not("direct", disk.path()); !reason.empty()) GTEST_SKIP() << reason;
  const ended done = run({"text", disk / "a", "--size", "1M", "--no-cache", "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string method = nlohmann::json::parse(done.out).at("trial").at("method");
  EXPECT_THAT(method, testing::AnyOf("uring", "libaio", "direct"));
}

TEST_F(command, json_to_standard_output_is_alone_there) {
  const ended text = run({"text", file("a"), "--size", "1M", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(text.out).at("trial").at("bytes"), 1'048'525);
  const ended listed = run({"methods", directory(), "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(listed.out).at(0).at("name"), "buffered");
  const ended bench =
      run({"bench", directory(), "--size", "1M", "--method", "buffered,stdio", "--rounds", "2", "--json", "-"});
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json.at("freshet"), FRESHET_VERSION);
  EXPECT_EQ(json.at("trials").size(), 4U);
  EXPECT_EQ(json.at("bytes_written"), 4 * 1'048'525);
  EXPECT_EQ(json.at("environment").at("version"), FRESHET_VERSION);
  for (const ended& each : {text, listed, bench}) {
    EXPECT_EQ(each.exit_code, 0);
    EXPECT_THAT(each.err, IsEmpty()) << "no progress line in a pipe";
  }
}

TEST_F(command, bench_measures_each_method_in_each_class) {
  const nlohmann::json made = json_of({"bench", directory(), "--size", "1M", "--method", "buffered,stdio,null",
                                       "--rounds", "1", "--durability", "none,at_close"});
  std::multiset<std::string> plans;
  for (const nlohmann::json& each : made.at("trials"))
    plans.insert(each.at("plan").at("class").get<std::string>() + " " +
                 each.at("plan").at("method").get<std::string>());
  EXPECT_THAT(plans, testing::ElementsAre("at_close buffered", "at_close null", "at_close stdio", "none buffered",
                                          "none null", "none stdio"));
  EXPECT_EQ(made.at("bytes_written"), 4 * 1'048'525) << "null writes no file";
}

TEST_F(command, cuts_nothing_for_another_program) {
  const std::string deep =
      file("a-directory-whose-name-alone-is-much-longer-than-what-a-line-of-a-terminal-has-room-for");
  fs::create_directory(deep);
  ASSERT_EQ(run({"text", deep + "/a", "--size", "1M"}).exit_code, 0);
  EXPECT_NE(run({"history"}).out.find(deep), std::string::npos);
}

TEST_F(command, bench_measures_on_either_kind_of_memory) {
  // Bringing memory to rest takes up to 17 seconds. This is the one test that waits for it; the others start a command
  // without that.
  const test::freshet_command rests_memory{FRESHET_COMMAND};
  for (const std::string memory : {"rested", "reused", "left"}) {
    const ended bench = rests_memory.run({"bench", directory(), "--size", "1M", "--method", "buffered", "--rounds", "1",
                                          "--memory", memory, "--json", "-"});
    ASSERT_EQ(bench.exit_code, 0) << bench.err;
    EXPECT_EQ(nlohmann::json::parse(bench.out).at("trials").at(0).at("plan").at("memory"), memory);
  }
}

TEST_F(command, bench_reads_what_it_writes_once) {
  const nlohmann::json made = json_of(
      {"bench", directory(), "--size", "1M", "--method", "buffered,stdio", "--rounds", "2", "--class", "none,warm"});
  EXPECT_EQ(made.at("trials").size(), 6U);
  EXPECT_EQ(made.at("bytes_written"), 5 * 1'048'525);
  ASSERT_EQ(made.at("verdicts").size(), 2U);
  EXPECT_EQ(made.at("verdicts")[1].at("class"), "warm");
  for (const nlohmann::json& each : made.at("verdicts")[1].at("ranking"))
    EXPECT_EQ(each.at("plan").at("method"), "buffered") << "stdio only writes";
}

TEST_F(command, bench_shows_its_progress_on_a_terminal) {
  const ended bench =
      freshet_.run_on_terminal({"bench", directory(), "--size", "1M", "--method", "buffered", "--rounds", "2"});
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_THAT(bench.err, HasSubstr("trial 2 of 2, none: buffered"));
}

TEST_F(command, bench_says_which_plans_it_left_out) {
  const ended bench = run({"bench", directory(), "--size", "1M", "--method", "buffered,ofstream-naive", "--workload",
                           "blocks", "--rounds", "1", "--memory", "rested"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("ofstream-naive: not measured: ofstream-naive writes text only"));
}

TEST_F(command, removes_what_a_killed_run_left) {
  const pid_t process = start_endless_bench();
  kill(process, SIGKILL);
  EXPECT_EQ(wait_for(process).exit_code, -SIGKILL);
  EXPECT_FALSE(nothing_left());
  EXPECT_EQ(run({"bench", directory(), "--size", "1M", "--rounds", "1", "--method", "buffered"}).exit_code, 0);
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace freshet
