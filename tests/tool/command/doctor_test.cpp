// `freshet doctor` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

  [[nodiscard]] nlohmann::json tree_json() const {
    return json_of({"doctor", directory(), "--proc-root", machine_.proc(), "--sys-root", machine_.sys()});
  }

  test::machine_tree machine_;
};

bool has_controls(const std::string& text) { return text.find('\x1b') != std::string::npos; }

TEST_F(doctor_command, reports_on_this_machine) {
  const ended done = run({"--details"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, IsEmpty()) << "no progress in a pipe";
  EXPECT_THAT(done.out, Not(IsEmpty()));
  EXPECT_FALSE(has_controls(done.out)) << "no colours in a pipe";
  EXPECT_TRUE(nothing_left());
}

TEST_F(doctor_command, writes_all_of_it_as_json) {
  const nlohmann::json json = json_of({"doctor", directory()});
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
  EXPECT_EQ(run_in_tree({"--check"}).exit_code, 0);
  const nlohmann::json json = tree_json();
  for (const nlohmann::json& each : json.at("findings"))
    EXPECT_TRUE(each.at("severity") == "fine" || each.at("topic") == "space") << each << " the space is this machine's";
  ASSERT_EQ(json.at("unseen").size(), 1U);
  EXPECT_EQ(json.at("unseen")[0].at("subject"), "what others do, stolen time, memory, flushes");
}

TEST_F(doctor_command, shows_the_worst_first_with_evidence_and_remedy) {
  machine_.write("proc/sys/kernel/io_uring_disabled", "2");
  machine_.mount("8:1", "sda1", "ext4", "rw,data=journal");
  const nlohmann::json findings = tree_json().at("findings");
  const auto worse = [](const nlohmann::json& first, const nlohmann::json& second) {
    constexpr std::array order{"matters", "may matter", "fine"};
    return std::ranges::find(order, first.at("severity")) < std::ranges::find(order, second.at("severity"));
  };
  EXPECT_TRUE(std::ranges::is_sorted(findings, worse));
  const auto find = [&](const std::string& key, const std::string& value) {
    return std::ranges::find_if(findings, [&](const auto& each) { return each.at(key) == value; });
  };
  const auto journal = find("evidence", "/ is mounted with data=journal");
  const auto ring = find("topic", "io_uring");
  ASSERT_NE(journal, findings.end());
  ASSERT_NE(ring, findings.end());
  EXPECT_EQ(journal->at("severity"), "matters");
  EXPECT_EQ(ring->at("severity"), "may matter");
  EXPECT_EQ(ring->at("remedy"), "sudo sysctl kernel.io_uring_disabled=0");
  EXPECT_EQ(run_in_tree().exit_code, 0);
  EXPECT_EQ(run_in_tree({"--check"}).exit_code, 1);
}

TEST_F(doctor_command, takes_names_with_control_characters_as_text) {
  machine_.mount("8:1", "sda1", "ext4", "rw,discard=\x1b[2J");
  machine_.write("sys/devices/sda/queue/scheduler", "[bfq\x1b[2J]");
  EXPECT_FALSE(has_controls(run_in_tree({"--details"}).out));
}

TEST_F(doctor_command, shows_progress_and_colours_on_a_terminal) {
  const ended progress = freshet_.run_on_terminal({"doctor", directory()});
  EXPECT_EQ(progress.exit_code, 0);
  EXPECT_THAT(progress.err, Not(IsEmpty()));
  ::setenv("TERM", "xterm", 1);
  machine_.mount("8:1", "sda1", "ext4", "rw,sync");
  const ended shown =
      freshet_.run_shown({"doctor", directory(), "--proc-root", machine_.proc(), "--sys-root", machine_.sys()}, 60);
  ::unsetenv("TERM");
  EXPECT_TRUE(has_controls(shown.out));
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
  const nlohmann::json json = json_of({"doctor", place});
  if (geteuid() != 0) fs::permissions(place, fs::perms::owner_all);
  EXPECT_TRUE(json.at("measured").at("flush_seconds").is_null());
  const auto is_flush = [](const auto& each) { return each.at("subject") == "how long a flush takes"; };
  EXPECT_TRUE(std::ranges::any_of(json.at("unseen"), is_flush) || json.at("file_system") == "tmpfs") << json;
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
