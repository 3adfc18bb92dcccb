// `freshet tune` as a user runs it, with files so small that it ends soon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <freshet/profile.hpp>

#include "tests/support/mounted_image.hpp"
#include "tests/tool/command/tune_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using test::ended;

// What it answers depends on the machine; that the profile has what it says does not.
TEST_F(tune_command, answers_and_saves_what_it_says) {
  const ended done = run(small(directory()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\nTo write new files, "));
  EXPECT_EQ(done.err, "");  // no progress where there is no terminal
  EXPECT_TRUE(nothing_left());
  EXPECT_GT(result().at("bytes_written"), 0);
  const bool saved = !result().at("profile").is_null();
  EXPECT_TRUE(!saved || result().at("profile") == user_profile_path().string()) << result().at("profile");
  EXPECT_TRUE(!saved || first_answer() == "profile") << done.out;
  ASSERT_EQ(fs::exists(user_profile_path()), saved) << done.out;
  if (!saved) return;
  const profile found = read_profile(user_profile_path());
  EXPECT_THAT(found.warnings, testing::IsEmpty());
  ASSERT_EQ(found.file_systems.size(), 1U);
  const file_system_profile& entry = found.file_systems.begin()->second;
  ASSERT_TRUE(entry.winners[0].has_value());
  EXPECT_FALSE(entry.winners[1].has_value());
  EXPECT_NE(entry.kernel, "");
}

TEST_F(tune_command, answers_how_to_read_and_how_to_write) {
  std::vector<std::string> words = small(directory(), "none,warm");
  words.insert(words.begin(), "tune");
  const nlohmann::json verdicts = json_of(words).at("verdicts");
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].at("class"), "none");
  EXPECT_EQ(verdicts[1].at("class"), "warm");
}

TEST_F(tune_command, fits_a_terminal_of_24_lines) {
  const ended done = run({directory(), "--size", "1M", "--max-bytes", "64M"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_LE(std::ranges::count(done.out, '\n'), 24) << done.out;
  std::istringstream lines{done.out};
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 80 || line.find('/') != std::string::npos) << "wider than a terminal: " << line;
}

TEST_F(tune_command, says_that_files_in_memory_are_never_cold) {
  if (test::undisturbed_place() != "/dev/shm") GTEST_SKIP() << "no /dev/shm that can be written to";
  const ended cold = run(small(directory(), "cold"));
  EXPECT_EQ(cold.exit_code, 1);
  EXPECT_THAT(cold.err, HasSubstr("tmpfs has its files in memory"));
  const ended both = run(small(directory(), "none,cold"));
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("Nothing is read cold: tmpfs has its files in memory."));
}

TEST_F(tune_command, saves_nothing_on_a_dry_run) {
  const ended done = run(small_and(directory(), {"--dry-run"}));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Nothing was saved"));
  EXPECT_FALSE(fs::exists(user_profile_path()));
  std::istringstream lines{done.out};
  for (std::string line; std::getline(lines, line);) {
    const bool names_a_path = line.find(directory()) != std::string::npos;
    const auto characters = std::ranges::count_if(line, [](char byte) { return (byte & 0xC0) != 0x80; });
    EXPECT_TRUE(names_a_path || characters <= 100) << "wider than a terminal: " << line;
  }
}

TEST_F(tune_command, says_what_matters_of_what_doctor_finds) {
  const ended done = run(small_and(directory(), {"--details"}));
  const nlohmann::json distorted_by = result().at("distorted_by");
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
  const ended done = run(small_and(directory(), {"--json", "-"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json json = nlohmann::json::parse(done.out);
  EXPECT_TRUE(json.at("freshet").is_string());
  EXPECT_TRUE(json.at("environment").is_object());
  EXPECT_EQ(json.at("profile").is_null(), !fs::exists(user_profile_path()));
  EXPECT_LE(json.at("bytes_written"), 32 << 20);
  ASSERT_EQ(json.at("verdicts").size(), 1U);
  const nlohmann::json& verdict = json.at("verdicts")[0];
  EXPECT_EQ(verdict.at("class"), "none");
  EXPECT_EQ(verdict.at("winner"), verdict.at("ranking")[0].at("plan"));
  EXPECT_THAT((std::vector<std::string>{"nothing", "profile", "code"}),
              testing::Contains(verdict.at("advice").at("what").get<std::string>()));
  EXPECT_THAT((std::vector<std::string>{"decided", "alike", "undecided", "failed"}),
              testing::Contains(verdict.at("state").get<std::string>()));
  ASSERT_FALSE(json.at("trials").empty());
  for (const nlohmann::json& trial : json.at("trials")) {
    EXPECT_THAT(trial.at("verdict"), testing::AnyOf("valid", "unknown", "disturbed", "invalid")) << trial;
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
  std::vector<std::string> words = small(directory(), "at_close");
  words.insert(words.end(), {"--json", "-"});
  const ended done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto printed = nlohmann::json::parse(done.out);
  ASSERT_FALSE(printed.at("trials").empty());
  for (const nlohmann::json& trial : printed.at("trials")) {
    EXPECT_NE(trial.at("verdict"), "valid") << trial;
    EXPECT_FALSE(trial.at("reasons").empty()) << trial;
    EXPECT_TRUE(trial.at("device_bytes").is_null()) << trial;
  }
}

TEST_F(tune_command, saves_nothing_without_competitors) {
  const ended done = run({directory(), "--size", "1M", "--max-bytes", "1M", "--time", "30m"});
  EXPECT_NE(done.out, "");
  EXPECT_FALSE(fs::exists(user_profile_path()));
}

TEST_F(tune_command, saves_for_all_users_only_with_permission) {
  const bool is_root = geteuid() == 0;
  std::vector<std::string> words = small(directory());
  words.push_back("--system");
  if (is_root) words.push_back("--dry-run");  // else it would change this machine
  const ended done = run(words);
  EXPECT_EQ(done.exit_code, is_root ? 0 : 1) << done.err;
  if (!is_root) {
    EXPECT_THAT(done.err, HasSubstr(system_profile_path().string()));
  }
  EXPECT_TRUE(is_root || done.out.find("==") == std::string::npos) << "it measured before it looked";
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
  const ended it = run({directory(), "--compress", "zstd", "--sample", sample, "--time", "1s", "--json", json});
  if (it.err.find("zstd") != std::string::npos) GTEST_SKIP() << it.err;
  ASSERT_EQ(it.exit_code, 0) << it.err;
  EXPECT_NE(it.out, "");
  const auto document = nlohmann::json::parse(std::ifstream{json});
  EXPECT_GT(document["plain_mb_per_s"], 0);
  ASSERT_GE(document["levels"].size(), 1U);
  for (const auto& each : document["levels"]) {
    EXPECT_GT(each["ratio"], 1.5);
    EXPECT_LT(each["ratio"], 2.1);
    EXPECT_GT(each["processors_mb_per_s"], 0);
    EXPECT_GT(each["stored_mb_per_s"], 0);
  }
  const auto of_fastest = [&](const auto& each) { return each["level"] == document["fastest"]; };
  EXPECT_TRUE(std::ranges::any_of(document["levels"], of_fastest)) << document;
  EXPECT_TRUE(nothing_left());
  EXPECT_FALSE(fs::exists(private_ / "config")) << "no profile was measured";
}

TEST_F(tune_command, refuses_what_shows_nothing_of_compression) {
  const fs::path sample = make_sample(private_ / "sample", std::size_t{3} << 20);
  const ended too_small = run({directory(), "--compress", "zstd", "--sample", sample});
  EXPECT_EQ(too_small.exit_code, 1);
  EXPECT_THAT(too_small.err, HasSubstr("a sample needs at least 4 MiB"));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--compress", "zstd"},
                                                {"--sample", sample},
                                                {"--compress", "gzip", "--sample", sample},
                                                {"--compress", "zstd", "--sample", sample, "--class", "cold"}}) {
    std::vector<std::string> words{directory()};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(words).exit_code, 2) << wrong.back();
  }
}

}  // namespace
}  // namespace freshet
