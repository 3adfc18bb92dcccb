// `freshet encrypt` stopped by a full disk, Ctrl-C or SIGKILL: finished files are complete, and --resume makes the
// rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lab/encrypt/manifest.hpp"
#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::ended;
using test::files_in;
using test::fill;
using testing::AllOf;
using testing::HasSubstr;

class encrypt_interrupted : public test::measuring_command, public testing::WithParamInterface<const char*> {
 protected:
  encrypt_interrupted() { fs::create_directory(in_); }

  std::vector<std::string> words(const fs::path& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"encrypt", in_, out, "--strategy", GetParam()});
    return more;
  }

  fs::path in_ = file("in");
  fs::path out_ = file("out");
};

TEST_P(encrypt_interrupted, by_a_full_disk_keeps_finished_files_and_can_be_resumed) {
  for (const char* type : {"tmpfs", "ext4"}) {
    test::temporary_directory place;
    const test::mounted_image image{place.path(), type, std::uint64_t{16} << 20};
    if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
    const fs::path out = image.path() / "out";
    fill(image.path() / "ballast", std::string(std::size_t{10} << 20, 'b'));
    for (const char* name : {"a", "b", "c", "d"}) fill(in_ / name, std::string(std::size_t{1500} << 10, *name) + "\n");
    const ended failed = freshet_.run(words(out, {"--threads", "1"}));
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, AllOf(HasSubstr("No space left on device"), HasSubstr(out.string() + "/"),
                                  HasSubstr("at offset"), HasSubstr("of 4 files are finished"), HasSubstr("--resume")));
    EXPECT_FALSE(test::has_leftovers(out));
    ASSERT_EQ(freshet_.run(words(out_, {"--force"})).exit_code, 0);
    const auto whole = files_in(out_);
    const auto finished = files_in(out);
    EXPECT_LT(finished.size(), whole.size());
    for (const auto& [name, content] : finished) EXPECT_TRUE(content == whole.at(name)) << name;
    fs::remove(image.path() / "ballast");
    const ended resumed_run = freshet_.run(words(out, {"--resume"}));
    EXPECT_EQ(resumed_run.exit_code, 0) << resumed_run.err;
    EXPECT_TRUE(files_in(out) == whole);
  }
}

TEST_P(encrypt_interrupted, by_a_signal_leaves_no_partial_file) {
  // One file is finished soon; the others would take hours.
  fill(in_ / "0", "x\n");
  for (const char* name : {"a", "b", "c"}) {
    std::string text;
    for (unsigned line = 0; line < 2000; ++line) text += std::string(1000, *name) + "\n";
    fill(in_ / name, text);
  }
  for (const auto& [signal, exit_code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const pid_t process = freshet_.start(words(out_, {"--work", "300000", "--force", "--threads", "2"}));
    while (!fs::exists(out_ / "0") && ::waitpid(process, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    ::kill(process, signal);
    const ended stopped = freshet_.wait_for(process);
    EXPECT_EQ(stopped.exit_code, exit_code);
    EXPECT_THAT(stopped.err, AllOf(HasSubstr("1 of 4 files are finished"), HasSubstr("--resume")));
    EXPECT_FALSE(test::has_leftovers(out_));
    EXPECT_EQ(files_in(out_).size(), 1U);
    fs::remove_all(out_);
  }
}

// Whenever the process is killed, each file that has its name is complete. These kills come at random and may be late;
// encrypt_injection_test.sh kills at certain moments.
TEST_P(encrypt_interrupted, by_sigkill_resumes_to_the_same_bytes) {
  test::make_hard_files(in_, 60);
  for (unsigned number = 0; number < 4; ++number)
    fill(in_ / ("large " + std::to_string(number)), std::string(300'000, 'l') + "\n" + std::string(300'000, 'm'));
  const std::vector<std::string> how = {"--work", "20", "--cipher", "aes", "--threads", "2"};
  const fs::path whole_out = file("whole");
  ASSERT_EQ(freshet_.run(words(whole_out, how)).exit_code, 0);
  const auto whole = files_in(whole_out);
  std::mt19937 random{1};
  auto resumed = how;
  resumed.emplace_back("--resume");
  for (int round = 0; round < 5; ++round) {
    fs::remove_all(out_);
    for (int kills = 0; kills < 2; ++kills) {
      const pid_t process = freshet_.start(words(out_, resumed));
      std::this_thread::sleep_for(std::chrono::microseconds{std::uniform_int_distribution{0, 60'000}(random)});
      ::kill(process, SIGKILL);
      std::ignore = freshet_.wait_for(process);
      if (!fs::exists(out_)) continue;
      for (const auto& [name, content] : files_in(out_))
        if (!is_leftover(name)) {
          EXPECT_TRUE(content == whole.at(name)) << name;
        }
    }
    const ended resumed_run = freshet_.run(words(out_, resumed));
    EXPECT_EQ(resumed_run.exit_code, 0) << resumed_run.err;
    EXPECT_TRUE(files_in(out_) == whole);
  }
}

INSTANTIATE_TEST_SUITE_P(all, encrypt_interrupted, testing::Values("streaming", "buffering", "pipelined", "async"),
                         [](const auto& each) { return std::string{each.param}; });

}  // namespace
}  // namespace freshet::tool
