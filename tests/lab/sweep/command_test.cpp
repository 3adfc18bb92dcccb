// `freshet sweep` as a command, on the smallest corpora.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tests/tool/command/measuring_command.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

class sweep_command : public test::measuring_command {
 protected:
  sweep_command() : measuring_command{test::undisturbed_place()} {}

  static std::vector<std::string> words(const fs::path& directory, std::vector<std::string> more) {
    more.insert(more.begin(), {"sweep", directory.string()});
    return more;
  }
  [[nodiscard]] ended run(const std::vector<std::string>& more) const {
    return test::undisturbed([&] { return freshet_.run(words(directory(), more)); });
  }
  /// Ten files of 10 KB.
  [[nodiscard]] ended run_small(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--corpora", "small-files", "--scale", "0.001"});
    return run(more);
  }
  /// A line of 3000 characters and an empty one; an empty one and one without an end; two characters.
  static void make_letters(const fs::path& directory) {
    fs::create_directory(directory);
    std::ofstream{directory / "a"} << std::string(3000, 'x') << "\n\n";
    std::ofstream{directory / "b"} << "\nabc";
    std::ofstream{directory / "c"} << "ab\n";
  }

  test::temporary_directory elsewhere_{test::undisturbed_place()};
};

TEST_F(sweep_command, compares_buffers) {
  const ended done = run_small({"--rounds", "1", "--work", "0", "--threads", "1", "--strategies", "streaming,async",
                                "--buffer", "4K,64K", "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json result = nlohmann::json::parse(done.out);
  std::set<std::string> ways;
  for (const nlohmann::json& cell : result.at("cells")) {
    EXPECT_EQ(cell.at("valid"), 1);
    ways.insert(cell.at("strategy").get<std::string>() + " " + std::to_string(cell.value("buffer", 0)));
  }
  EXPECT_THAT(ways, testing::ElementsAre("async 0", "streaming 4096", "streaming 65536"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, has_an_order_of_access_where_all_strategies_can) {
  for (const char* const streams : {"std", "freshet"})
    EXPECT_EQ(run_small({"--rounds", "1", "--work", "0", "--threads", "1", "--strategies", "streaming", "--streams",
                         streams, "--access", "once"})
                  .exit_code,
              0);
  const ended automatic = run_small({"--access", "once", "--streams", "freshet"});
  EXPECT_EQ(automatic.exit_code, 2);
  EXPECT_THAT(automatic.err, HasSubstr("auto reads and writes in its own way"));
}

TEST_F(sweep_command, prints_tables_and_leaves_nothing) {
  const ended done = run({"--corpora", "small-files,long-lines", "--scale", "0.001", "--rounds", "1", "--work", "0,2",
                          "--threads", "1", "--json", elsewhere_ / "figures"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto result = nlohmann::json::parse(content_of(elsewhere_ / "figures"));
  std::map<std::string, std::set<std::uint64_t>> bytes;
  for (const auto& each : result.at("trials")) {
    bytes[each.at("corpus")].insert(each.at("bytes").get<std::uint64_t>());
    EXPECT_NE(each.at("verdict"), "invalid") << each.dump();
  }
  EXPECT_EQ(bytes, (std::map<std::string, std::set<std::uint64_t>>{{"small-files", {10 * 100 * 101}},
                                                                   {"long-lines", {2 * 100 * 100'001}}}));
  EXPECT_EQ(result.at("auto_against_best_of_streaming_and_buffering").size(), 4U);
  ASSERT_EQ(result.at("limits").size(), 2U);
  for (const auto& each : result.at("limits")) EXPECT_EQ(each.at("fastest").size(), 2U);
  EXPECT_THAT(done.out, testing::ContainsRegex("\nTHREADS  STRATEGY +WORK 0 +WORK 2\n      1  streaming +[0-9.]+ "));
  EXPECT_THAT(done.out, testing::ContainsRegex("\nTHREADS +WORK 0 +WORK 2\n +1 +x[0-9.]+"));
  EXPECT_THAT(done.out, testing::EndsWith("\nwritten in all: " + format_size(result.at("bytes_written")) + "\n"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, writes_every_trial_as_json) {
  const ended done =
      run_small({"--rounds", "1", "--strategies", "streaming,buffering,pipelined,async,auto", "--threads", "2",
                 "--work", "3", "--cipher", "aes", "--streams", "freshet", "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.at("trials").size(), 5U);
  EXPECT_EQ(json.at("cells").size(), 5U);
  EXPECT_EQ(json.at("plan").at("cipher"), "aes");
  EXPECT_EQ(json.at("plan").at("streams"), "freshet");
  EXPECT_EQ(json.at("plan").at("cache"), "warm");
  EXPECT_EQ(json.at("plan").at("scale"), 0.001);
  EXPECT_EQ(json.at("environment").at("directory"), directory());
  EXPECT_EQ(json.at("bytes_written"), 10 * 100 * (101 + 5 * 137));
  std::set<std::string> strategies;
  for (const auto& each : json.at("trials")) {
    strategies.insert(each.at("strategy"));
    EXPECT_EQ(each.at("verdict"), "valid") << each.dump();
    EXPECT_EQ(each.at("bytes"), 10 * 100 * 101);
    EXPECT_EQ(each.at("bytes_out"), 10 * 100 * 137);
    EXPECT_GT(each.at("seconds_to_close"), 0);
    EXPECT_GE(each.at("seconds_to_disk"), each.at("seconds_to_close"));
    EXPECT_GT(each.at("cpu_whole"), 0);
    EXPECT_EQ(each.at("why").get<std::string>().empty(), each.at("strategy") != "auto");
    EXPECT_EQ(each.at("bytes_cached"), each.at("bytes"));
    EXPECT_TRUE(each.at("failure").is_null());
    EXPECT_EQ(each.at("files_removed_shortly_before"), false);
  }
  EXPECT_EQ(strategies.size(), 5U);
  EXPECT_EQ(json.at("auto_against_best_of_streaming_and_buffering").size(), 1U);
}

TEST_F(sweep_command, shows_the_published_cells_beside_those_of_today) {
  const ended done = run_small({"--rounds", "1", "--work", "0,200", "--threads", "1", "--strategies", "streaming,auto",
                                "--json", elsewhere_ / "figures"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::ContainsRegex("1  streaming  [0-9.]+ \\(2.15\\)  +[0-9.]+\n"));
  const auto result = nlohmann::json::parse(content_of(elsewhere_ / "figures"));
  EXPECT_NEAR(result.at("cells").at(0).at("published_mb_per_second"), 101.0 / 47, 1e-9);
  EXPECT_TRUE(result.at("cells").at(1).at("published_mb_per_second").is_null()) << "work 200 was only wished for";
}

TEST_F(sweep_command, encrypts_files_of_the_user_from_one_directory_to_another) {
  const fs::path in = elsewhere_ / "letters";
  const fs::path out = elsewhere_ / "out";
  make_letters(in);
  const auto before = fs::last_write_time(in / "b");
  const ended done = test::undisturbed([&] {
    return freshet_.run({"sweep", directory(), "--input", in, "--output", out, "--rounds", "1", "--work", "0,3",
                         "--threads", "2", "--json", elsewhere_ / "figures"});
  });
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith(in.string() + ": 3 files, 5 lines, "));
  const auto result = nlohmann::json::parse(content_of(elsewhere_ / "figures"));
  EXPECT_EQ(result.at("plan").at("corpora").at(0).at("directory"), in.string());
  EXPECT_EQ(result.at("environment").at("directory"), out.string());
  for (const auto& trial : result.at("trials")) {
    EXPECT_EQ(trial.at("bytes"), 3002 + 4 + 3);
    EXPECT_EQ(trial.at("bytes_out"), 4002 + 5 + 5);
    EXPECT_EQ(trial.at("verdict"), "valid") << trial.at("reasons");
  }
  EXPECT_EQ(fs::last_write_time(in / "b"), before);
  EXPECT_TRUE(fs::is_empty(out));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, refuses_directories_that_it_cannot_use) {
  const fs::path in = elsewhere_ / "letters";
  make_letters(in);
  fs::create_directory(elsewhere_ / "none");
  const auto why = [&](std::vector<std::string> more, int exit_code) {
    more.insert(more.end(), {"--rounds", "1"});
    const ended refused = run(more);
    EXPECT_EQ(refused.exit_code, exit_code) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(why({"--input", elsewhere_ / "none"}, 1), HasSubstr("it has no files"));
  EXPECT_THAT(why({"--input", elsewhere_ / "missing"}, 1), HasSubstr("No such file or directory"));
  EXPECT_THAT(why({"--input", in, "--output", in / "out"}, 1), HasSubstr("it is the input's directory, or lies in it"));
  EXPECT_THAT(why({"--output", in}, 1), HasSubstr("name one that is empty or missing"));
  EXPECT_THAT(why({"--input", in, "--corpora", "mixed"}, 2), HasSubstr("--corpora"));
  EXPECT_THAT(why({"--input", in, "--scale", "0.5"}, 2), HasSubstr("--scale"));
  EXPECT_FALSE(fs::exists(in / "out"));
  EXPECT_EQ(content_of(in / "b"), "\nabc");
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, has_a_corpus_of_different_sizes) {
  const ended done = run({"--corpora", "mixed", "--scale", "0.003", "--rounds", "1", "--work", "0", "--threads", "1",
                          "--json", elsewhere_ / "figures"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith("mixed: 3 of 1,000 files x about 1,000 lines x about 100 characters, "));
  const auto result = nlohmann::json::parse(content_of(elsewhere_ / "figures"));
  EXPECT_EQ(result.at("plan").at("corpora").at(0).at("vary"), true);
  for (const auto& trial : result.at("trials")) EXPECT_EQ(trial.at("verdict"), "valid") << trial.at("reasons");
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, proves_that_its_input_is_cold) {
  // A disk of its own: what others write to the same one makes trials invalid.
  const test::temporary_directory place{test::disk_place()};
  const test::mounted_image disk{place.path(), "ext4", 64 << 20};
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const ended done = test::undisturbed([&] {
    return freshet_.run(
        words(disk.path(), {"--corpora", "small-files", "--scale", "0.001", "--rounds", "1", "--strategies",
                            "streaming", "--threads", "1", "--work", "0", "--cold", "--json", "-"}));
  });
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json.at("plan").at("cache"), "cold");
  const auto& trial = json.at("trials").at(0);
  EXPECT_EQ(trial.at("verdict"), "valid") << trial.at("reasons");
  EXPECT_GE(trial.at("device_bytes_read"), trial.at("bytes"));
}

TEST_F(sweep_command, explains_why_a_file_system_in_memory_is_never_cold) {
  const test::mounted_image memory{directory(), "tmpfs", 16 << 20};
  if (!memory.why_not().empty()) GTEST_SKIP() << memory.why_not();
  const ended done = freshet_.run(words(memory.path(), {"--cold"}));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("tmpfs has its files in memory"));
  EXPECT_TRUE(fs::is_empty(memory.path()));
}

TEST_F(sweep_command, checks_the_space_before_it_starts) {
  const test::mounted_image small{directory(), "tmpfs", 16 << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  const std::vector<std::string> large = {"--corpora", "long-lines", "--scale", "0.02",   "--rounds",
                                          "1",         "--threads",  "1",       "--work", "0"};
  const ended refused = freshet_.run(words(small.path(), large));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("are wanted and 16 MiB free; --force tries nevertheless"));
  EXPECT_TRUE(fs::is_empty(small.path()));
  std::vector<std::string> forced = large;
  forced.emplace_back("--force");
  const ended failed = freshet_.run(words(small.path(), forced));
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("No space left on device"));
  EXPECT_TRUE(fs::is_empty(small.path()));
}

TEST_F(sweep_command, exits_1_with_the_reason) {
  const ended budget = run_small({"--rounds", "1", "--max-bytes", "1K"});
  EXPECT_EQ(budget.exit_code, 1);
  EXPECT_THAT(budget.err, HasSubstr("which is more than --max-bytes allows, 1 KiB"));
  const ended missing = freshet_.run({"sweep", file("none")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("No such file or directory"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, exits_2_for_wrong_usage_and_does_nothing) {
  const std::vector<std::vector<std::string>> wrong = {{"--strategies", "streaming,none"},
                                                       {"--strategies", ""},
                                                       {"--threads", "0"},
                                                       {"--threads", "10000"},
                                                       {"--threads", "1,x"},
                                                       {"--work", "-1"},
                                                       {"--work", "1.5"},
                                                       {"--corpora", "small"},
                                                       {"--cipher", "rot13"},
                                                       {"--scale", "0"},
                                                       {"--scale", "1.1"},
                                                       {"--scale", "nan"},
                                                       {"--scale", "0.1x"},
                                                       {"--rounds", "0"},
                                                       {"--time", "soon"},
                                                       {"--full", "--time", "2m"},
                                                       {"--streams", "stdio"},
                                                       {"--max-bytes", "x"},
                                                       {"elsewhere", "--force"},
                                                       {"--what"}};
  for (const auto& each : wrong) {
    const ended tried = run(each);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(each) << tried.err;
    EXPECT_EQ(tried.out, "");
  }
  EXPECT_THAT(run({"--corpora", "big"}).err, HasSubstr("small-files, short-lines, long-lines, large-files or mixed"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, removes_its_files_after_a_signal) {
  constexpr std::array<std::pair<int, int>, 2> expected = {{{SIGINT, 130}, {SIGTERM, 143}}};
  for (const auto& [signal, exit_code] : expected) {
    const pid_t process = freshet_.start(words(directory(), {"--corpora", "long-lines", "--scale", "0.001", "--rounds",
                                                             "1000", "--work", "0,100", "--max-bytes", "1T"}));
    while (waitpid(process, nullptr, WNOHANG) == 0 && nothing_left())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    std::this_thread::sleep_for(std::chrono::milliseconds{500});  // anywhere in its run
    kill(process, signal);
    const ended done = freshet_.wait_for(process);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_TRUE(nothing_left());
  }
}

TEST_F(sweep_command, shows_its_progress_on_a_terminal) {
  const ended done =
      freshet_.run_on_terminal(words(directory(), {"--corpora", "small-files", "--scale", "0.001", "--rounds", "2",
                                                   "--strategies", "pipelined", "--threads", "1", "--work", "0"}));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("making small-files"));
  EXPECT_THAT(done.err,
              testing::ContainsRegex("trial 2 of 2: small-files, pipelined, 1 thread, work 0, [0-9]+ s left"));
}

TEST_F(sweep_command, finds_its_scale_and_adds_rounds_until_the_time_is_over) {
  const std::string time = test::is_complete() ? "40s" : "1s";  // on a disk, and after memory came to rest
  const ended done = run({"--corpora", "small-files", "--strategies", "pipelined", "--threads", "1", "--work", "0",
                          "--time", time, "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_GE(json.at("rounds"), 3);
  EXPECT_EQ(json.at("trials").size(), json.at("rounds"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, divides_the_files_among_ranks) {
  const fs::path with_mpi = fs::path{FRESHET_COMMAND}.parent_path() / "freshet-lab-mpi";
  if (!fs::exists(with_mpi) || std::system("command -v mpirun > /dev/null") != 0) GTEST_SKIP() << "there is no MPI";
  const test::temporary_directory outputs;
  const fs::path file = outputs / "figures";
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI does not free its memory at exit
  const std::string call = "XDG_STATE_HOME=" + (outputs / "state").string() +
                           " mpirun --allow-run-as-root --oversubscribe -n 4 " FRESHET_COMMAND " sweep " + directory() +
                           " --corpora small-files --scale 0.001 --rounds 1 --threads 1 --work 0,3 --json ";
  const std::string output = test::undisturbed(
      [&] {
        EXPECT_EQ(std::system((call + file.string() + " > /dev/null 2>&1").c_str()), 0);
        return content_of(file);
      },
      [](const std::string& figures) { return test::is_spoilt(figures); });
  const auto json = nlohmann::json::parse(output);
  EXPECT_EQ(json.at("plan").at("ranks"), 4);
  EXPECT_EQ(json.at("machines"), 1);
  ASSERT_EQ(json.at("trials").size(), 6U);
  for (const auto& each : json.at("trials")) {
    EXPECT_EQ(each.at("verdict"), "valid") << each.dump();
    EXPECT_EQ(each.at("bytes"), 10 * 100 * 101);
    EXPECT_EQ(each.at("bytes_out"), 10 * 100 * 137);
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(sweep_command, helps_with_examples) { EXPECT_TRUE(helps_with_an_example("sweep")); }

// All trials of a round take more than a second on any machine.
TEST_F(sweep_command, ends_with_its_time_and_says_what_is_missing) {
  const ended done = run({"--time", "1s", "--json", "-"});
  EXPECT_THAT(done.err, testing::ContainsRegex("the time was over: [0-9]+ trials of round 1 are missing"));
  const nlohmann::json result = nlohmann::json::parse(done.out);
  EXPECT_GT(result.at("trials").size(), 0U);
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace freshet::tool
