// `freshet tune` as a user runs it, with files so small that it ends soon.
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
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/profile.hpp>

#include "tests/support/freshet_command.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tests/tool/command/kept_count.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using test::ended;

class tune_command : public testing::Test {
 protected:
  tune_command() {
    setenv("XDG_CONFIG_HOME", (private_ / "config").c_str(), 1);
    unsetenv("FRESHET_PROFILE");
  }

  pid_t start(std::vector<std::string> words) const {
    words.insert(words.begin(), "tune");
    return freshet_.start(std::move(words));
  }
  ended wait_for(pid_t process) const { return freshet_.wait_for(process); }
  ended run(std::vector<std::string> words) const { return wait_for(start(std::move(words))); }

  // A search that is limited by bytes, so that it is the same on slow machines. The workload `blocks` costs almost no
  // CPU time: under a sanitizer, no trial becomes invalid because its generator is too slow.
  std::vector<std::string> small(const fs::path& directory, const std::string& durability = "none") const {
    return {directory, "--size",       "1M",       "--max-bytes", "32M",   "--time",
            "30m",     "--durability", durability, "--workload",  "blocks"};
  }

  std::vector<std::string> small_and(const fs::path& directory, const std::vector<std::string>& more) const {
    std::vector<std::string> words = small(directory);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Starts a search for `time`, stops it once each method had several trials, lets `standstill` of its time go by, and
  // interrupts it.
  ended interrupt_after(const fs::path& directory, const std::string& time, std::chrono::seconds standstill) const {
    constexpr int several = 60;
    const pid_t process = start({directory, "--size", "1M", "--max-bytes", "100G", "--time", time, "--class", "none"});
    while (waitpid(process, nullptr, WNOHANG) == 0 && test::count_kept_trials(freshet_) < several)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(kill(process, SIGSTOP), 0);
    std::this_thread::sleep_for(standstill);
    kill(process, SIGINT);
    kill(process, SIGCONT);
    return wait_for(process);
  }

  test::freshet_command freshet_;
  test::temporary_directory private_;
  test::temporary_directory measured_{test::undisturbed_place()};
};

TEST_F(tune_command, saves_a_profile_that_the_library_reads) {
  const ended done = run(small(measured_.path()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("#include <freshet/writer.hpp>"));
  EXPECT_THAT(done.out, HasSubstr("Written in all"));
  EXPECT_EQ(done.err, "");  // no progress where there is no terminal
  EXPECT_TRUE(fs::is_empty(measured_.path()));
  const profile saved = read_profile(user_profile_path());
  EXPECT_THAT(saved.warnings, testing::IsEmpty());
  ASSERT_EQ(saved.file_systems.size(), 1U);
  const file_system_profile& entry = saved.file_systems.begin()->second;
  ASSERT_TRUE(entry.winners[0].has_value());
  EXPECT_FALSE(entry.winners[1].has_value());
  EXPECT_NE(entry.kernel, "");
}

TEST_F(tune_command, saves_how_to_read_and_how_to_write) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer makes the checksum slower than reading, so that no trial is valid";
#endif
  ASSERT_EQ(run(small(measured_.path())).exit_code, 0);
  const ended done = test::undisturbed([&] { return run(small(measured_.path(), "warm")); });
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  const file_system_profile entry = read_profile(user_profile_path()).file_systems.begin()->second;
  EXPECT_TRUE(entry.winners[0].has_value());
  EXPECT_TRUE(entry.warm.has_value());
  EXPECT_FALSE(entry.cold.has_value());
  EXPECT_THAT(done.out, HasSubstr("way to read"));
  EXPECT_THAT(done.out, HasSubstr("freshet::reader in"));
}

TEST_F(tune_command, saves_nothing_if_it_is_interrupted_before_half_of_its_time) {
  const ended done = interrupt_after(measured_.path(), "30m", std::chrono::seconds{0});
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_THAT(done.err, HasSubstr("nothing was saved"));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("\n== none")));
  EXPECT_FALSE(fs::exists(user_profile_path()));
  EXPECT_TRUE(fs::is_empty(measured_.path()));
}

// Takes 5 s, in which it stands still: its time goes on, but it is not done before the signal.
TEST_F(tune_command, saves_what_it_found_if_it_is_interrupted_after_half_of_its_time) {
  const ended done = interrupt_after(measured_.path(), "10s", std::chrono::seconds{5});
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\n== none"));
  EXPECT_THAT(done.err, HasSubstr("what was found is saved in " + user_profile_path().string()));
  EXPECT_TRUE(read_profile(user_profile_path()).file_systems.begin()->second.winners[0].has_value());
  EXPECT_TRUE(fs::is_empty(measured_.path()));
}

TEST_F(tune_command, says_that_files_in_memory_are_never_cold) {
  if (test::undisturbed_place() != "/dev/shm") GTEST_SKIP() << "no /dev/shm that can be written to";
  const ended cold = run(small(measured_.path(), "cold"));
  EXPECT_EQ(cold.exit_code, 1);
  EXPECT_THAT(cold.err, HasSubstr("tmpfs has its files in memory"));
  const ended both = run(small(measured_.path(), "none,cold"));
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("Nothing is read cold: tmpfs has its files in memory."));
}

TEST_F(tune_command, saves_nothing_on_a_dry_run) {
  const ended done = run(small_and(measured_.path(), {"--dry-run"}));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Nothing was saved."));
  EXPECT_FALSE(fs::exists(user_profile_path()));
  std::istringstream lines{done.out};
  for (std::string line; std::getline(lines, line);) {
    const bool names_a_path = line.find(measured_.path()) != std::string::npos;
    const auto characters = std::ranges::count_if(line, [](char byte) { return (byte & 0xC0) != 0x80; });
    EXPECT_TRUE(names_a_path || characters <= 100) << "wider than a terminal: " << line;
  }
}

TEST_F(tune_command, says_what_matters_of_what_doctor_finds) {
  const std::string result = private_ / "result.json";
  const ended done = run(small_and(measured_.path(), {"--json", result}));
  const nlohmann::json distorted_by = nlohmann::json::parse(test::content_of(result)).at("distorted_by");
  for (const nlohmann::json& each : distorted_by) {
    EXPECT_EQ(each.at("severity"), "matters");
    EXPECT_FALSE(each.at("evidence").get<std::string>().empty());
  }
  // What it says depends on the machine; that it says it where there is something does not.
  const auto at = done.out.find("\nDistorted by: ");
  ASSERT_EQ(at != std::string::npos, !distorted_by.empty()) << done.out;
  if (distorted_by.empty()) return;
  const std::string first = distorted_by.at(0).at("summary");
  EXPECT_EQ(done.out.substr(at + 15, first.find(' ')), first.substr(0, first.find(' ')));
}

TEST_F(tune_command, writes_everything_as_json) {
  const ended done = run(small_and(measured_.path(), {"--json", "-"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json json = nlohmann::json::parse(done.out);
  EXPECT_TRUE(json.at("freshet").is_string());
  EXPECT_TRUE(json.at("environment").is_object());
  EXPECT_EQ(json.at("profile"), user_profile_path().string());
  EXPECT_LE(json.at("bytes_written"), 32 << 20);
  ASSERT_EQ(json.at("verdicts").size(), 1U);
  const nlohmann::json& verdict = json.at("verdicts")[0];
  EXPECT_EQ(verdict.at("class"), "none");
  EXPECT_EQ(verdict.at("winner"), verdict.at("ranking")[0].at("plan"));
  EXPECT_THAT((std::vector<std::string>{"decided", "alike", "undecided", "failed"}),
              testing::Contains(verdict.at("state").get<std::string>()));
  ASSERT_FALSE(json.at("trials").empty());
  for (const nlohmann::json& trial : json.at("trials")) {
    EXPECT_THAT(trial.at("verdict"), testing::AnyOf("valid", "unknown", "invalid")) << trial;
    EXPECT_EQ(trial.at("reasons").empty(), trial.at("verdict") == "valid") << trial;
  }
}

// Takes 8 s: on each file system a trial by every method, written and read.
TEST_F(tune_command, finds_a_winner_on_each_file_system) {
  for (const std::string type : {"ext4", "xfs", "tmpfs"}) {
    SCOPED_TRACE(type);
    const test::temporary_directory place{test::undisturbed_place()};
    const test::mounted_image mounted{place.path(), type, 512 << 20};
    if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
    std::vector<std::string> words = small(mounted.path(), "none,cold");
    words.insert(words.end(), {"--dry-run", "--json", "-"});
    // On a busy machine, all trials of a class may be invalid, because there are few.
    const auto has_no_winner = [](const ended& done) {
      const auto printed = nlohmann::json::parse(done.out, nullptr, false);
      return !printed.is_discarded() && std::ranges::any_of(printed.at("verdicts"), [](const nlohmann::json& verdict) {
        return !verdict.at("winner").is_object();
      });
    };
    const ended done = test::undisturbed([&] { return run(words); }, has_no_winner);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const auto printed = nlohmann::json::parse(done.out);
    EXPECT_EQ(printed.at("environment").at("file_system"), type);
    EXPECT_EQ(printed.at("verdicts").size(), type == "tmpfs" ? 1U : 2U);
    for (const nlohmann::json& verdict : printed.at("verdicts"))
      EXPECT_TRUE(verdict.at("winner").is_object()) << printed.at("trials");
    EXPECT_LE(printed.at("bytes_written"), 32 << 20);
    EXPECT_TRUE(type == "ext4" || fs::is_empty(mounted.path()));  // which has its lost+found
  }
}

TEST_F(tune_command, works_if_the_device_cannot_be_observed) {
  if (test::undisturbed_place() != "/dev/shm") GTEST_SKIP() << "no /dev/shm that can be written to";
  std::vector<std::string> words = small(measured_.path(), "at_close");
  words.insert(words.end(), {"--json", "-"});
  const ended done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto printed = nlohmann::json::parse(done.out);
  ASSERT_FALSE(printed.at("trials").empty());
  for (const nlohmann::json& trial : printed.at("trials")) {
    EXPECT_NE(trial.at("verdict"), "valid") << trial;
    EXPECT_THAT(trial.at("reasons").dump(), HasSubstr("cannot be seen"));
  }
}

TEST_F(tune_command, saves_no_winner_without_competitors) {
  const ended done = run({measured_.path(), "--size", "1M", "--max-bytes", "1M", "--time", "30m"});
  EXPECT_FALSE(fs::exists(user_profile_path()));
  EXPECT_THAT(done.out, HasSubstr("Nothing was saved."));
}

TEST_F(tune_command, leaves_nothing_when_interrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t process = start({measured_.path(), "--size", "16M", "--max-bytes", "100G", "--time", "30m"});
    while (waitpid(process, nullptr, WNOHANG) == 0 && fs::is_empty(measured_.path()))
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    kill(process, signal);
    EXPECT_EQ(wait_for(process).exit_code, 128 + signal);
    EXPECT_TRUE(fs::is_empty(measured_.path()));
    EXPECT_FALSE(fs::exists(user_profile_path()));
  }
}

TEST_F(tune_command, says_why_it_cannot_tune) {
  const ended nowhere = run({private_ / "not there"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("not there"));
  std::ofstream{private_ / "file"} << "x";
  EXPECT_EQ(run({private_ / "file"}).exit_code, 1);
}

TEST_F(tune_command, saves_for_all_users_only_with_permission) {
  const bool is_root = geteuid() == 0;
  std::vector<std::string> words = small(measured_.path());
  words.push_back("--system");
  if (is_root) words.push_back("--dry-run");  // else it would change this machine
  const ended done = run(words);
  EXPECT_EQ(done.exit_code, is_root ? 0 : 1) << done.err;
  EXPECT_THAT(is_root ? done.out : done.err,
              HasSubstr(is_root ? "Nothing was saved." : system_profile_path().string()));
  EXPECT_TRUE(is_root || done.out.find("==") == std::string::npos) << "it measured before it looked";
}

void write_profile(const std::string& text) {
  fs::create_directories(user_profile_path().parent_path());
  std::ofstream{user_profile_path()} << text;
}

TEST_F(tune_command, says_that_the_old_profile_is_broken_and_kept) {
  write_profile("[[[");
  const ended done = run(small(measured_.path()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("profile.toml:1:"));
  EXPECT_THAT(done.err, HasSubstr("is kept as " + user_profile_path().string() + ".broken"));
  EXPECT_TRUE(fs::exists(user_profile_path().string() + ".broken"));
}

TEST_F(tune_command, refuses_a_newer_profile_before_it_measures) {
  write_profile("format = 99\n");
  const ended done = run(small(measured_.path()));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("is newer than"));
}

TEST_F(tune_command, refuses_a_place_for_the_profile_that_is_no_directory_before_it_measures) {
  std::ofstream{private_ / "config"} << "a file";
  const ended done = run(small(measured_.path()));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("Not a directory"));
}

TEST_F(tune_command, is_not_alone_with_a_broken_profile) {
  write_profile("[[[");
  const std::vector<std::vector<std::string>> others = {
      {"text", measured_.path() / "a", "--size", "1M"},
      {"bench", measured_.path(), "--size", "1M", "--rounds", "1", "--method", "auto,buffered"}};
  for (const auto& words : others) {
    const ended done = freshet_.run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("profile.toml:1:")) << words.front();
  }
}

// Takes 2 s, in which the second must not begin.
TEST_F(tune_command, waits_for_another_on_the_same_device) {
  const test::temporary_directory on_disk{test::disk_place()};
  const pid_t first = start({on_disk.path(), "--size", "16M", "--max-bytes", "100G", "--time", "30m"});
  while (waitpid(first, nullptr, WNOHANG) == 0 && fs::is_empty(on_disk.path()))
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const test::freshet_command other;
  const pid_t second = other.start({"tune", on_disk.path(), "--dry-run", "--time", "30m"});
  std::this_thread::sleep_for(std::chrono::seconds{2});
  EXPECT_EQ(waitpid(second, nullptr, WNOHANG), 0);
  kill(second, SIGTERM);
  EXPECT_THAT(other.wait_for(second).err, HasSubstr("waiting for another freshet that measures on "));
  kill(first, SIGTERM);
  EXPECT_EQ(wait_for(first).exit_code, 128 + SIGTERM);
}

TEST_F(tune_command, says_that_the_disk_is_full) {
  const test::mounted_image full{private_.path(), "tmpfs", 256 << 10};
  if (!full.why_not().empty()) GTEST_SKIP() << full.why_not();
  const ended done = run({full.path()});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("only 256 KiB are free on the file system"));
}

TEST_F(tune_command, refuses_wrong_usage) {
  for (const char* const time : {"-1", "0", "soon", "5x", "inf", ""}) {
    EXPECT_EQ(run({measured_.path(), "--time", time}).exit_code, 2) << time;
  }
  EXPECT_EQ(run({measured_.path(), "--size", "12X"}).exit_code, 2);
  EXPECT_EQ(run({measured_.path(), "--durability", "never"}).exit_code, 2);
  EXPECT_EQ(run({measured_.path(), "--class", "lukewarm"}).exit_code, 2);
}

// Half of it can be compressed.
fs::path make_sample(const fs::path& path, std::size_t size) {
  std::mt19937 random{1};
  std::ofstream out{path};
  for (std::size_t written = 0; written < size; written += 64)
    for (int i = 0; i < 64; ++i) out.put(i < 32 ? 'x' : static_cast<char>(random()));
  return path;
}

TEST_F(tune_command, says_which_level_of_compression_pays) {
  const fs::path sample = make_sample(private_ / "sample", std::size_t{4} << 20);
  const fs::path json = private_ / "json";
  const ended it = run({measured_.path(), "--compress", "zstd", "--sample", sample, "--time", "1s", "--json", json});
  if (it.err.find("zstd") != std::string::npos) GTEST_SKIP() << it.err;
  ASSERT_EQ(it.exit_code, 0) << it.err;
  EXPECT_THAT(it.out, testing::AnyOf(HasSubstr("The fastest"), HasSubstr("the fastest")));
  EXPECT_THAT(it.out, testing::AnyOf(HasSubstr("the processors are the limit"), HasSubstr("The disk is the limit")));
  const auto document = nlohmann::json::parse(std::ifstream{json});
  EXPECT_GT(document["plain_mb_per_s"], 0);
  ASSERT_GE(document["levels"].size(), 1U);
  for (const auto& each : document["levels"]) {
    EXPECT_GT(each["ratio"], 1.5);
    EXPECT_LT(each["ratio"], 2.1);
    EXPECT_GT(each["processors_mb_per_s"], 0);
    EXPECT_GT(each["stored_mb_per_s"], 0);
  }
  EXPECT_TRUE(fs::is_empty(measured_.path()));
  EXPECT_FALSE(fs::exists(private_ / "config")) << "no profile was measured";
}

TEST_F(tune_command, refuses_what_shows_nothing_of_compression) {
  const fs::path sample = make_sample(private_ / "sample", std::size_t{3} << 20);
  const ended too_small = run({measured_.path(), "--compress", "zstd", "--sample", sample});
  EXPECT_EQ(too_small.exit_code, 1);
  EXPECT_THAT(too_small.err, HasSubstr("a sample needs at least 4 MiB"));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--compress", "zstd"},
                                                {"--sample", sample},
                                                {"--compress", "gzip", "--sample", sample},
                                                {"--compress", "zstd", "--sample", sample, "--class", "cold"}}) {
    std::vector<std::string> words{measured_.path()};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(words).exit_code, 2) << wrong.back();
  }
}

}  // namespace
}  // namespace freshet
