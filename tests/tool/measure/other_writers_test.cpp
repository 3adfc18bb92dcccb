// What other processes write: from a made-up procfs, and from a real process.
#include "tool/measure/other_writers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "src/os/file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing_process.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class made_up_processes : public testing::Test {
 protected:
  void add(int number, const std::string& name, int parent, std::uint64_t written, unsigned flags = 0,
           std::uint64_t started = 100) {
    const fs::path process = directory_ / std::to_string(number);
    fs::create_directories(process);
    std::ofstream{process / "stat"} << number << " (" << name << ") S " << parent << " 1 1 0 -1 " << flags
                                    << " 1 1 1 1 1 1 1 1 20 0 1 0 " << started << " 1 1\n";
    std::ofstream{process / "io"} << "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: " << written
                                  << "\ncancelled_write_bytes: 0\n";
  }
  void remove(int number) { fs::remove_all(directory_ / std::to_string(number)); }
  other_writers look(std::set<int> own = {}) const { return other_writers{std::move(own), directory_.path()}; }

  test::temporary_directory directory_;
};

TEST_F(made_up_processes, are_told_by_name_with_what_they_wrote_since) {
  add(10, "dd", 1, 1000);
  add(11, "idle", 1, 500);
  add(12, "a (b) c", 1, 0);
  const other_writers others = look();
  add(10, "dd", 1, 1700);
  add(12, "a (b) c", 1, 20);
  add(13, "dd", 1, 30);
  EXPECT_THAT(others.written(), ElementsAre(Pair("a (b) c", 20), Pair("dd", 730)));
}

TEST_F(made_up_processes, are_others_unless_they_are_ours_or_the_kernel_s) {
  add(::getpid(), "freshet", 1, 0);
  add(20, "child", ::getpid(), 0);
  add(21, "grandchild", 20, 0);
  add(22, "rank", 1, 0);
  add(23, "kworker", 2, 0, 0x0420'8060);
  add(24, "other", 1, 0);
  const other_writers others = look({22});
  add(::getpid(), "freshet", 1, 1);
  add(20, "child", ::getpid(), 2);
  add(21, "grandchild", 20, 3);
  add(22, "rank", 1, 4);
  add(23, "kworker", 2, 5, 0x0420'8060);
  add(24, "other", 1, 6);
  EXPECT_THAT(others.written(), ElementsAre(Pair("other", 6)));
}

TEST_F(made_up_processes, leave_what_they_wrote_since_to_whoever_waited_for_them) {
  add(10, "shell", 1, 100);
  add(11, "make", 10, 200);
  add(12, "cc", 11, 1000);
  const other_writers others = look();
  remove(11);
  remove(12);
  add(10, "shell", 1, 100 + 200 + 1000 + 7);
  EXPECT_THAT(others.written(), ElementsAre(Pair("shell", 7)));
}

TEST_F(made_up_processes, are_others_when_their_number_is_given_anew) {
  add(10, "old", 1, 1000);
  const other_writers others = look();
  add(10, "new", 1, 400, 0, 200);
  EXPECT_THAT(others.written(), ElementsAre(Pair("new", 400)));
}

TEST_F(made_up_processes, may_hide_what_they_write) {
  add(10, "secret", 1, 0);
  fs::remove(directory_ / "10" / "io");
  fs::create_directory(directory_ / "11");
  std::ofstream{directory_ / "12"} << "no directory";
  EXPECT_THAT(look().written(), IsEmpty());
}

TEST(neighbours_here, are_named_with_their_bytes) {
  const test::temporary_directory directory;
  std::error_code failure;
  if (detail::os::file_system_of(directory.path(), failure).device_name.empty())
    GTEST_SKIP() << "what is written there is not counted";
  constexpr std::uint64_t bytes = 8 << 20;
  test::writing_process stranger{directory / "file", bytes};
  const other_writers others;
  stranger.begin();
  stranger.wait_until_written();
  const written_by_name written = others.written();
  ASSERT_TRUE(written.contains(test::writing_process::name)) << "is /proc/PID/io told?";
  // The file system may add some bytes of its own.
  EXPECT_GE(written.at(test::writing_process::name), bytes);
  EXPECT_LT(written.at(test::writing_process::name), bytes + (1 << 20));
}

}  // namespace
}  // namespace freshet::tool
