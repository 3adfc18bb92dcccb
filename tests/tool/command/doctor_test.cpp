// `freshet doctor` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/machine_tree.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::ended;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class doctor_command : public test::measuring_command {
 protected:
  ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"doctor", directory()});
    return freshet_.run(std::move(words));
  }
  ended run_in_tree(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--proc-root", machine_.proc(), "--sys-root", machine_.sys()});
    return run(std::move(words));
  }

  test::machine_tree machine_;
};

// Where a line ends depends on the length of the directory's name.
std::string unwrapped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST_F(doctor_command, reports_on_this_machine) {
  const ended done = run({"--details"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, IsEmpty()) << "no progress in a pipe";
  EXPECT_THAT(unwrapped(done.out), HasSubstr("measurements in " + directory()));
  EXPECT_THAT(done.out, HasSubstr("Checked, and fine:"));
  EXPECT_THAT(done.out, Not(HasSubstr("\x1b"))) << "no colours in a pipe";
  EXPECT_TRUE(nothing_left());
}

TEST_F(doctor_command, writes_all_of_it_as_json) {
  const ended done = run({"--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json.at("freshet"), FRESHET_VERSION);
  EXPECT_EQ(json.at("directory"), directory());
  EXPECT_GE(json.at("findings").size(), 8U);
  for (const auto& each : json.at("findings")) {
    EXPECT_THAT(each.at("severity"), testing::AnyOf("matters", "may matter", "fine"));
    for (const char* const member : {"topic", "text", "evidence"}) EXPECT_NE(each.at(member), "") << each;
    EXPECT_EQ(each.at("summary") == "", each.at("severity") == "fine") << each;
  }
  EXPECT_GT(json.at("measured").at("first_touch_fresh"), 0);
  const bool matters =
      std::ranges::any_of(json.at("findings"), [](const auto& each) { return each.at("severity") == "matters"; });
  EXPECT_EQ(json.at("distorted"), matters);
}

TEST_F(doctor_command, finds_nothing_in_a_sound_machine) {
  const ended done = run_in_tree({"--check"});
  EXPECT_EQ(done.exit_code, 0);
  // The space is this machine's.
  const std::string expected = "Nothing found that distorts measurements in " + directory();
  EXPECT_THAT(unwrapped(done.out), testing::AnyOf(testing::StartsWith(expected), HasSubstr("% full")));
  EXPECT_THAT(unwrapped(done.out), HasSubstr("what others do, stolen time, memory, flushes: only this machine can be"));
}

TEST_F(doctor_command, shows_the_worst_first_with_evidence_and_remedy) {
  machine_.write("proc/sys/kernel/io_uring_disabled", "2");
  machine_.mount("8:1", "sda1", "ext4", "rw,data=journal");
  const ended done = run_in_tree();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, HasSubstr("\n! Everything is written twice"));
  EXPECT_THAT(done.out, HasSubstr("\n? io_uring cannot be used here"));
  EXPECT_THAT(done.out, HasSubstr("\n  seen in: / is mounted with data=journal\n"));
  EXPECT_THAT(done.out, HasSubstr("\n  to do: sudo sysctl kernel.io_uring_disabled=0\n"));
  EXPECT_LT(done.out.find("\n! "), done.out.find("\n? "));
  EXPECT_THAT(done.out, HasSubstr("things are fine: --details.\n"));
  EXPECT_EQ(run_in_tree({"--check"}).exit_code, 1);
  EXPECT_THAT(run_in_tree({"--details"}).out, testing::Not(HasSubstr("[]")));
}

TEST_F(doctor_command, takes_names_with_control_characters_as_text) {
  machine_.mount("8:1", "sda1", "ext4", "rw,discard=\x1b[2J");
  machine_.write("sys/devices/sda/queue/scheduler", "[bfq\x1b[2J]");
  EXPECT_THAT(run_in_tree({"--details"}).out, Not(HasSubstr("\x1b")));
}

TEST_F(doctor_command, shows_progress_and_colours_on_a_terminal) {
  const ended progress = freshet_.run_on_terminal({"doctor", directory()});
  EXPECT_EQ(progress.exit_code, 0);
  EXPECT_THAT(progress.err, HasSubstr("watching what others do"));
  machine_.mount("8:1", "sda1", "ext4", "rw,sync");
  const ended shown =
      freshet_.run_shown({"doctor", directory(), "--proc-root", machine_.proc(), "--sys-root", machine_.sys()}, 60);
  EXPECT_THAT(shown.out, HasSubstr("!"));
}

TEST_F(doctor_command, needs_a_directory_that_exists) {
  const ended missing = freshet_.run({"doctor", file("none")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("No such file or directory"));
  std::ofstream{file("file")} << "x";
  const ended no_directory = freshet_.run({"doctor", file("file")});
  EXPECT_EQ(no_directory.exit_code, 1);
  EXPECT_THAT(no_directory.err, HasSubstr("Not a directory"));
  EXPECT_EQ(run({"more"}).exit_code, 2);
  EXPECT_EQ(run({"--nonsense"}).exit_code, 2);
  EXPECT_EQ(run({"--proc-root", ""}).exit_code, 2);
}

// Root may write to every directory, except on a file system that is mounted read-only.
TEST_F(doctor_command, says_why_it_cannot_measure_where_it_cannot_write) {
  std::optional<test::mounted_image> mounted;
  std::string place = directory();
  if (geteuid() == 0) {
    mounted.emplace(directory(), "ext4", 16 << 20);
    if (!mounted->why_not().empty() || !mounted->make_read_only()) GTEST_SKIP() << mounted->why_not();
    place = mounted->path();
  } else {
    if (test::disk_place() == "/dev/shm") GTEST_SKIP() << "no flush is measured in memory";
    fs::permissions(place, fs::perms::owner_read | fs::perms::owner_exec);
  }
  const ended done = freshet_.run({"doctor", place});
  if (geteuid() != 0) fs::permissions(place, fs::perms::owner_all);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::AnyOf(HasSubstr("how long a flush takes"), HasSubstr("files in memory")));
}

TEST_F(doctor_command, ends_with_a_signal_and_leaves_nothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t process = freshet_.start({"doctor", directory()});
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    ASSERT_EQ(kill(process, signal), 0);
    const ended done = freshet_.wait_for(process);
    // It came before the program could note it, in time, or after the measurement.
    EXPECT_THAT(done.exit_code, testing::AnyOf(128 + signal, -signal, 0)) << done.err;
    EXPECT_TRUE(nothing_left());
  }
}

}  // namespace
}  // namespace freshet
