// What doctor says of programs that watch files: virus scanners and indexers.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/machine_tree.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

finding find_topic(const machine_facts& facts, const std::string& topic) {
  const std::vector<finding> all = find_distortions(facts);
  const auto at = std::ranges::find(all, topic, &finding::topic);
  EXPECT_NE(at, all.end()) << topic;
  return at == all.end() ? finding{} : *at;
}

class watched_files : public testing::Test {
 protected:
  void add_process(const std::string& number, const std::string& name) const {
    machine_.write("proc/" + number + "/comm", name);
    fs::create_directories(machine_.proc() / number / "fd");
  }
  void add_marks(const std::string& number, const std::string& marks) const {
    fs::create_symlink("anon_inode:[fanotify]", machine_.proc() / number / "fd" / "5");
    machine_.write("proc/" + number + "/fdinfo/5", "pos:\t0\nflags:\t04002\nfanotify flags:4 event-flags:0\n" + marks);
  }
  finding on(const std::string& topic) const {
    return find_topic(read_machine_facts(directory_.path(), {.proc = machine_.proc(), .sys = machine_.sys()}), topic);
  }

  test::machine_tree machine_;  // /dev/sda1, 8:1, is its mount 1
  test::temporary_directory directory_;
};

TEST_F(watched_files, are_found_to_be_watched_by_nobody) {
  add_process("7", "bash");
  for (const std::string topic : {"virus scanner", "indexer"}) {
    EXPECT_EQ(on(topic).weight, severity::fine);
    EXPECT_THAT(on(topic).evidence, HasSubstr("fanotify marks in " + machine_.proc().string()));
  }
}

TEST_F(watched_files, wait_for_a_scanner_that_marks_their_mount_or_file_system) {
  add_process("812", "clamonacc");
  add_process("9", "cp");
  for (const std::string mark : {"fanotify mnt_id:1 mflags:0 mask:10000 ignored_mask:0",
                                 "fanotify sdev:800001 mflags:0 mask:2003b ignored_mask:0"}) {
    fs::remove(machine_.proc() / "812/fd/5");
    add_marks("812", "fanotify mnt_id:77 mflags:0 mask:10000 ignored_mask:0\n" + mark);
    EXPECT_EQ(on("virus scanner").weight, severity::matters);
    EXPECT_EQ(on("virus scanner").summary, "accesses to files wait for clamonacc");
    EXPECT_EQ(on("virus scanner").evidence, (machine_.proc() / "812/fdinfo/5").string() + " of clamonacc: " + mark);
    EXPECT_EQ(on("virus scanner").remedy, "sudo systemctl stop clamav-clamonacc");
    EXPECT_EQ(on("indexer").weight, severity::fine);
  }
}

TEST_F(watched_files, wait_for_a_scanner_that_marks_their_directory) {
  struct stat status = {};
  ASSERT_EQ(::stat(directory_.path().c_str(), &status), 0);
  add_process("812", "unknown");
  add_marks("812", fmt::format("fanotify ino:{:x} sdev:800001 mflags:0 mask:8010000 ignored_mask:0", status.st_ino));
  EXPECT_EQ(on("virus scanner").weight, severity::matters);
  EXPECT_EQ(on("virus scanner").remedy, "Have it leave this directory out, or stop it while you measure.");
}

TEST_F(watched_files, do_not_wait_for_a_scanner_that_marks_others) {
  add_process("812", "fapolicyd");
  add_marks("812",
            "fanotify mnt_id:77 mflags:0 mask:10000 ignored_mask:0\n"
            "fanotify ino:1 sdev:800001 mflags:0 mask:10000 ignored_mask:0\n"
            "fanotify sdev:800002 mflags:0 mask:10000 ignored_mask:0");
  EXPECT_EQ(on("virus scanner").weight, severity::may_matter);
  EXPECT_EQ(on("virus scanner").summary, "virus scanner at work: fapolicyd");
}

TEST_F(watched_files, may_be_read_by_scanners_and_indexers_that_run) {
  add_process("20", "clamd");
  add_process("21", "wdavdaemon");
  add_process("30", "tracker-miner-f");
  add_process("31", "baloo_file_extr");
  add_process("32", "updatedb.plocat");
  EXPECT_EQ(on("virus scanner").weight, severity::may_matter);
  EXPECT_EQ(on("virus scanner").summary, "virus scanner at work: clamd and wdavdaemon");
  EXPECT_THAT(on("virus scanner").evidence, HasSubstr("/20/comm: clamd; "));
  EXPECT_EQ(on("indexer").weight, severity::may_matter);
  EXPECT_EQ(on("indexer").summary, "files watched by baloo_file_extr, tracker-miner-f and updatedb.plocat");
  EXPECT_EQ(on("indexer").remedy, "balooctl suspend");
}

TEST_F(watched_files, may_be_read_by_whoever_is_told_of_them) {
  add_process("40", "fatrace");
  add_marks("40", "fanotify mnt_id:1 mflags:0 mask:3b ignored_mask:0");
  EXPECT_EQ(on("virus scanner").weight, severity::fine) << "nothing waits for it";
  EXPECT_EQ(on("indexer").weight, severity::may_matter);
  EXPECT_EQ(on("indexer").summary, "files watched by fatrace");
}

TEST_F(watched_files, of_other_users_cannot_be_seen_and_that_is_said) {
  const test::ordinary_user nobody;
  if (!fs::exists("/proc/1/comm")) GTEST_SKIP() << "no process of another user is visible here";
  bool said = false;
  for (const unseen_fact& each : read_machine_facts("/").unseen)
    said = said || each.reason == "this user may not read their /proc/PID/fd";
  EXPECT_TRUE(said);
}

// A mark of this directory alone: whatever else opens files does not wait for this test.
TEST(a_real_mark, is_seen) {
  const test::temporary_directory directory;
  const int group = ::fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);
  if (group < 0 && errno == EPERM) GTEST_SKIP() << "fanotify groups that permit accesses take root";
  ASSERT_GE(group, 0) << std::strerror(errno);
  const detail::os::file open = detail::os::file::wrap(group, true);
  const auto mark = [&](std::uint64_t events) {
    return ::fanotify_mark(group, FAN_MARK_ADD, events | FAN_EVENT_ON_CHILD, AT_FDCWD, directory.path().c_str());
  };
  ASSERT_EQ(mark(FAN_CLOSE_WRITE), 0) << std::strerror(errno);
  const machine_facts told = read_machine_facts(directory.path());
  EXPECT_EQ(find_topic(told, "indexer").weight, severity::may_matter);
  ASSERT_EQ(mark(FAN_OPEN_PERM), 0) << std::strerror(errno);
  const finding waits = find_topic(read_machine_facts(directory.path()), "virus scanner");
  EXPECT_EQ(waits.weight, severity::matters);
  EXPECT_THAT(waits.evidence, AllOf(StartsWith(fmt::format("/proc/{}/fdinfo/{} of ", ::getpid(), group)),
                                    HasSubstr(": fanotify ino:")));
  EXPECT_EQ(find_topic(read_machine_facts("/"), "virus scanner").weight, severity::may_matter);
}

}  // namespace
}  // namespace freshet::tool
