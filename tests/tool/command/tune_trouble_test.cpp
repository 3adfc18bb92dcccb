// What stands in the way of `freshet tune`: signals, full disks, directories that vanish, profiles that are broken,
// wrong usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <freshet/profile.hpp>

#include "tests/support/mounted_image.hpp"
#include "tests/tool/command/tune_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::ended;
using testing::HasSubstr;

// A search that has several trials of each method before this is over. Sanitizers make them slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::chrono::seconds long_enough{60};
#else
constexpr std::chrono::seconds long_enough{10};
#endif

TEST_F(tune_command, answers_without_a_home) {
  unsetenv("XDG_CONFIG_HOME");
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  unsetenv("HOME");
  const ended done = run(small(directory()));
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(first_answer(), "none");
  EXPECT_TRUE(result().at("profile").is_null());
}

TEST_F(tune_command, says_why_no_method_works) {
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit small_files{4096, usual.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small_files), 0);
  const pid_t process = start(small(directory()));
  ::setrlimit(RLIMIT_FSIZE, &usual);
  ::signal(SIGXFSZ, handler);
  const ended done = wait_for(process);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("no method works there, not even the simplest: writing fails: File too large"));
}

// Takes what it measures in away, by whatever `take_away` does, once each method had a trial.
template <typename Action>
ended tune_while(const test::freshet_command& freshet, const fs::path& directory, const fs::path& result,
                 Action take_away) {
  constexpr int several = 20;
  const pid_t process = freshet.start(
      {"tune", directory, "--size", "1M", "--max-bytes", "100G", "--time", "30m", "--class", "none", "--json", result});
  while (waitpid(process, nullptr, WNOHANG) == 0 && test::count_kept_trials(freshet) < several)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  take_away();
  return freshet.wait_for(process);
}

TEST_F(tune_command, answers_what_it_can_when_the_disk_becomes_full) {
  const test::mounted_image place{private_.path(), "tmpfs", 64 << 20};
  if (!place.why_not().empty()) GTEST_SKIP() << place.why_not();
  const ended done = tune_while(freshet_, place.path(), result_file(), [&] {
    std::ofstream filler{place.path() / "filler"};
    const std::string megabyte(1 << 20, 'x');
    while (filler.write(megabyte.data(), 1 << 20).flush()) continue;
  });
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(first_answer(), "none");
  EXPECT_THAT(result().at("ended_early_by").get<std::string>(), testing::EndsWith("No space left on device"));
}

TEST_F(tune_command, answers_what_it_can_when_its_directory_vanishes) {
  const fs::path place = file("place");
  fs::create_directory(place);
  const ended done = tune_while(freshet_, place, result_file(), [&] { fs::rename(place, file("elsewhere")); });
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(first_answer(), "none");
  EXPECT_THAT(result().at("ended_early_by").get<std::string>(), testing::EndsWith("No such file or directory"));
}

TEST_F(tune_command, saves_nothing_if_it_is_interrupted_before_half_of_its_time) {
  const ended done = interrupt_after(directory(), std::chrono::minutes{30}, std::chrono::seconds{0});
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_THAT(done.err, HasSubstr("nothing was saved"));
  EXPECT_FALSE(fs::exists(result_file())) << "it answered";
  EXPECT_FALSE(fs::exists(user_profile_path()));
  EXPECT_TRUE(nothing_left());
}

// Its time goes on while it stands still, but it is not done before the signal.
TEST_F(tune_command, answers_with_what_it_found_if_it_is_interrupted_after_half_of_its_time) {
  const ended done = interrupt_after(directory(), long_enough, long_enough * 6 / 10);
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_NE(first_answer(), "none");
  const bool saved = !result().at("profile").is_null();
  EXPECT_THAT(done.err, HasSubstr(saved ? "what was found is saved in " + user_profile_path().string()
                                        : std::string{"nothing was saved"}));
  EXPECT_EQ(fs::exists(user_profile_path()), saved);
  EXPECT_TRUE(nothing_left());
}

TEST_F(tune_command, leaves_nothing_when_interrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t process = start({directory(), "--size", "16M", "--max-bytes", "100G", "--time", "30m"});
    while (waitpid(process, nullptr, WNOHANG) == 0 && nothing_left())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    kill(process, signal);
    EXPECT_EQ(wait_for(process).exit_code, 128 + signal);
    EXPECT_TRUE(nothing_left());
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

void write_profile(const std::string& text) {
  fs::create_directories(user_profile_path().parent_path());
  std::ofstream{user_profile_path()} << text;
}

TEST_F(tune_command, says_that_the_old_profile_is_broken_and_kept) {
  write_profile("[[[");
  const ended done = run(small(directory()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("profile.toml:1:"));
  const fs::path broken = user_profile_path().string() + ".broken";
  const bool saved = !result().at("profile").is_null();
  EXPECT_EQ(fs::exists(broken), saved);
  EXPECT_EQ(done.err.find("is kept as " + broken.string()) != std::string::npos, saved) << done.err;
  EXPECT_EQ(test::content_of(saved ? broken : user_profile_path()), "[[[");
}

TEST_F(tune_command, refuses_a_newer_profile_before_it_measures) {
  write_profile("format = 99\n");
  const ended done = run(small(directory()));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("is newer than"));
}

TEST_F(tune_command, refuses_a_place_for_the_profile_that_is_no_directory_before_it_measures) {
  std::ofstream{private_ / "config"} << "a file";
  const ended done = run(small(directory()));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("Not a directory"));
}

TEST_F(tune_command, is_not_alone_with_a_broken_profile) {
  write_profile("[[[");
  const std::vector<std::vector<std::string>> others = {
      {"text", file("a"), "--size", "1M"},
      {"bench", directory(), "--size", "1M", "--rounds", "1", "--method", "auto,buffered"}};
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
    EXPECT_EQ(run({directory(), "--time", time}).exit_code, 2) << time;
  }
  EXPECT_EQ(run({directory(), "--size", "12X"}).exit_code, 2);
  EXPECT_EQ(run({directory(), "--durability", "never"}).exit_code, 2);
  EXPECT_EQ(run({directory(), "--class", "lukewarm"}).exit_code, 2);
}

}  // namespace
}  // namespace freshet
