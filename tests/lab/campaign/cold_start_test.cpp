// Caches that are dropped, and file systems that are mounted anew, with the proof of both.
#include "lab/campaign/cold_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <freshet/error.hpp>

#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/measure/cold.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using tool::cold_start;

void write_and_cache(const fs::path& file) {
  std::ofstream{file} << std::string(300'000, 'x');
  ::sync();
  tool::read_into_cache(file);
}

TEST(dropped_caches, are_proven_to_be_empty) {
  if (!tool::why_not_drop_caches().empty()) GTEST_SKIP() << "only root may drop caches";
  const test::temporary_directory directory{test::disk_place()};
  const fs::path input = directory / "below/input";
  fs::create_directory(directory / "below");
  write_and_cache(input);
  ASSERT_NE(tool::bytes_in_cache(input), 0U);
  const std::vector<fs::path> inputs{directory / "below"};
  const cold_start state = tool::drop_caches(directory.path(), inputs);
  EXPECT_TRUE(state.cold) << state.evidence;
  EXPECT_EQ(
      state.evidence,
      "caches were dropped; a probe that was cached before is not any more, nor is anything of 1 file of the inputs");
  EXPECT_EQ(tool::bytes_in_cache(input), 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator{directory.path()}, fs::directory_iterator{}), 1) << "a probe is left";
}

TEST(dropped_caches, are_not_believed_where_nothing_was_dropped) {
  // Writing to this file drops nothing.
  const test::temporary_directory proc;
  fs::create_directories(proc / "sys/vm");
  std::ofstream{proc / "sys/vm/drop_caches"};
  const test::temporary_directory directory{test::disk_place()};
  EXPECT_EQ(tool::why_not_drop_caches(proc.path()), "");
  const cold_start state = tool::drop_caches(directory.path(), {}, proc.path());
  EXPECT_FALSE(state.cold);
  EXPECT_EQ(state.evidence, "caches were dropped, but the page cache still held 1 MiB of a probe");
}

TEST(dropped_caches, need_the_kernels_file) {
  const test::temporary_directory proc;
  EXPECT_THAT(tool::why_not_drop_caches(proc.path()),
              EndsWith(": No such file or directory; dropping caches takes root"));
  EXPECT_THROW((void)tool::drop_caches(proc.path(), {}, proc.path()), error);
}

TEST(cold_inputs, are_not_believed_to_be_cold_where_one_is_cached_or_missing) {
  const test::temporary_directory directory{test::disk_place()};
  write_and_cache(directory / "input");
  const std::vector<fs::path> cached{directory / "input"};
  EXPECT_FALSE(tool::prove_uncached(cached, "x").cold);
  EXPECT_THAT(tool::prove_uncached(cached, "x").evidence,
              EndsWith(" of the inputs were cached, such as " + (directory / "input").string()));
  const std::vector<fs::path> missing{directory / "missing"};
  EXPECT_FALSE(tool::prove_uncached(missing, "x").cold);
  EXPECT_THAT(tool::prove_uncached(missing, "x").evidence, StartsWith("x, but the inputs cannot be seen: "));
  EXPECT_TRUE(tool::prove_uncached({}, "x").cold);
}

class remounted : public testing::Test {
 protected:
  void SetUp() override {
    if (!image_.why_not().empty()) GTEST_SKIP() << image_.why_not();
  }
  const test::temporary_directory directory_{test::disk_place()};
  const test::mounted_image image_{directory_.path(), "ext4", 16U << 20};
};

TEST_F(remounted, file_systems_hold_nothing_in_memory) {
  const fs::path input = image_.path() / "input";
  write_and_cache(input);
  ASSERT_NE(tool::bytes_in_cache(input), 0U);
  const tool::mounted how = tool::mounted_from_json(tool::to_json_text(tool::find_mount(image_.path())));
  EXPECT_EQ(how.type, "ext4");
  const std::vector<fs::path> inputs{input};
  const cold_start state = tool::remount(how, inputs);
  EXPECT_TRUE(state.cold) << state.evidence;
  EXPECT_THAT(state.evidence, StartsWith(image_.path().string() + " was mounted anew; a probe"));
  EXPECT_EQ(fs::file_size(input), 300'000U) << "it is not mounted again";
  EXPECT_FALSE(fs::exists(image_.path() / ".freshet-campaign-probe"));
}

TEST_F(remounted, file_systems_are_mounted_if_a_power_cut_kept_them_from_it) {
  const tool::mounted how = tool::find_mount(image_.path());
  ASSERT_EQ(::umount2(image_.path().c_str(), 0), 0);
  EXPECT_TRUE(tool::remount(how, {}).cold);
  EXPECT_EQ(tool::find_mount(image_.path()).type, "ext4");
}

TEST_F(remounted, file_systems_in_use_are_refused_with_the_reason) {
  const tool::mounted how = tool::find_mount(image_.path());
  const std::ofstream in_use{image_.path() / "open"};
  try {
    (void)tool::remount(how, {});
    FAIL() << "it was remounted";
  } catch (const error& why) {
    EXPECT_THAT(why.what(), HasSubstr("something has files open there"));
  }
  EXPECT_EQ(tool::find_mount(image_.path()).type, "ext4");
}

TEST(mounts, are_only_what_is_mounted_there) {
  const test::temporary_directory directory;
  EXPECT_THROW((void)tool::find_mount(directory.path()), error);
}

TEST(mounts, are_read_as_the_kernel_writes_them) {
  const test::temporary_directory proc;
  fs::create_directories(proc / "self");
  std::ofstream{proc / "self/mountinfo"} << "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                         << "2 1 8:2 / /a\\040b rw,noatime shared:1 - xfs /dev/sdb rw,attr2,inode64\n"
                                         << "3 1 8:2 /part /bound rw - xfs /dev/sdb rw\n";
  const tool::mounted how = tool::find_mount("/a b", proc.path());
  EXPECT_EQ(how.source, "/dev/sdb");
  EXPECT_EQ(how.options, "rw,noatime,attr2,inode64");
  EXPECT_THROW((void)tool::find_mount("/bound", proc.path()), error) << "a part of a file system";
}

}  // namespace
}  // namespace freshet
