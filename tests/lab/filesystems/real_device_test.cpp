// All reasons not to overwrite a device. Loop devices play the real ones, so they take root.
#include "lab/filesystems/real_device.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/swap.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <freshet/error.hpp>

#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class real_devices : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "loop devices take root";
    std::ofstream{image_};
    fs::resize_file(image_, std::uint64_t{64} << 20);
    device_.emplace(image_);
    if (!device_->is_open()) GTEST_SKIP() << device_->why_not();
  }

  [[nodiscard]] const std::string& device() const { return device_->path(); }
  [[nodiscard]] std::string name() const { return fs::path{device()}.filename(); }

  /// Why the device must not be overwritten; empty: it may be.
  [[nodiscard]] std::string refusal(bool destroy, const std::vector<precious_place>& precious = {}) const {
    return refusal_of(device(), destroy, precious);
  }
  [[nodiscard]] static std::string refusal_of(const std::string& device, bool destroy,
                                              const std::vector<precious_place>& precious = {}) {
    try {
      require_expendable(device, destroy, precious);
    } catch (const error& refused) {
      return refused.what();
    }
    return {};
  }
  static void run(const std::string& line) { ASSERT_EQ(std::system((line + " > /dev/null 2>&1").c_str()), 0) << line; }
  void make_ext4() const { run("mkfs.ext4 -q -F " + device()); }

  test::temporary_directory directory_;
  fs::path image_ = directory_ / "disk";
  std::optional<test::loop_device> device_;
};

TEST_F(real_devices, may_be_overwritten_if_that_is_said) { EXPECT_EQ(refusal(true), ""); }

TEST_F(real_devices, are_not_overwritten_unless_that_is_said) {
  EXPECT_THAT(refusal(false), AllOf(HasSubstr(device()), HasSubstr("--destroy")));
}

TEST_F(real_devices, are_not_overwritten_for_what_they_hold) {
  EXPECT_EQ(find_signature(device()), "");
  make_ext4();
  EXPECT_EQ(find_signature(device()), "ext4");
  EXPECT_THAT(refusal(false), AllOf(HasSubstr("it holds ext4"), HasSubstr("--destroy")));
  EXPECT_EQ(refusal(true), "");
}

TEST_F(real_devices, are_not_overwritten_for_their_partitions) {
  // A table of MS-DOS with one partition.
  std::string table(512, '\0');
  table.replace(446, 16, std::string("\x00\x00\x02\x00\x83\x00\x08\x00\x01\x00\x00\x00\x00\x08\x00\x00", 16));
  table.replace(510, 2, "\x55\xaa");
  std::ofstream{device(), std::ios::binary | std::ios::in} << table;
  EXPECT_EQ(find_signature(device()), "a dos partition table");
  EXPECT_THAT(refusal(false), HasSubstr("a dos partition table"));
}

TEST_F(real_devices, are_refused_where_they_are_mounted) {
  make_ext4();
  const fs::path mount_point = directory_ / "mounted";
  fs::create_directory(mount_point);
  ASSERT_EQ(::mount(device().c_str(), mount_point.c_str(), "ext4", 0, ""), 0);
  EXPECT_THAT(refusal(true), HasSubstr("it is mounted at " + mount_point.string()));
  ::umount2(mount_point.c_str(), MNT_DETACH);
}

TEST_F(real_devices, are_refused_while_somebody_has_them_for_himself) {
  const int others = ::open(device().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  ASSERT_GE(others, 0);
  EXPECT_THAT(refusal(true), HasSubstr("it is in use"));
  EXPECT_THROW(require_unused(device()), error);
  ::close(others);
  EXPECT_EQ(refusal(true), "");
}

TEST_F(real_devices, are_refused_as_swap) {
  run("mkswap " + device());
  ASSERT_EQ(::swapon(device().c_str(), 0), 0) << "a loop device as swap";
  const std::string reason = refusal(true, find_precious_places(directory_.path()));
  ::swapoff(device().c_str());
  EXPECT_THAT(reason, AllOf(HasSubstr("swap"), HasSubstr("lies on it")));
}

TEST_F(real_devices, are_refused_below_a_file_that_is_swap) {
  const test::mounted_image volume{directory_.path(), "ext4", std::uint64_t{64} << 20};
  ASSERT_EQ(volume.why_not(), "");
  const fs::path file = volume.path() / "swapfile";
  std::ofstream{file} << "x";
  std::ofstream{directory_ / "swaps"} << "Filename\tType\tSize\tUsed\tPriority\n"
                                      << file.string() << "\tfile\t1\t0\t-2\n";
  const std::string below = "/dev/" + file_system_at(volume.path()).device_name;
  EXPECT_THAT(refusal_of(below, true, find_precious_places("/", directory_.path())),
              HasSubstr("swap (" + file.string()));
}

TEST_F(real_devices, are_refused_below_the_directory) {
  const test::mounted_image volume{directory_.path(), "ext4", std::uint64_t{64} << 20};
  ASSERT_EQ(volume.why_not(), "");
  const std::string below = "/dev/" + file_system_at(volume.path()).device_name;
  EXPECT_THAT(refusal_of(below, true, find_precious_places(volume.path())),
              HasSubstr("the directory " + volume.path().string() + " lies on it"));
}

// The file of a loop device lies on a file system, whose device so lies below, too.
TEST_F(real_devices, are_refused_below_the_file_of_a_loop_device_below_the_directory) {
  const test::mounted_image outer{directory_.path(), "ext4", std::uint64_t{256} << 20};
  ASSERT_EQ(outer.why_not(), "");
  const test::mounted_image inner{outer.path(), "ext4", std::uint64_t{64} << 20};
  ASSERT_EQ(inner.why_not(), "");
  const std::string below = "/dev/" + file_system_at(outer.path()).device_name;
  EXPECT_THAT(refusal_of(below, true, find_precious_places(inner.path())), HasSubstr("the directory"));
}

TEST_F(real_devices, are_refused_below_the_root) {
  const std::string root = file_system_at("/").device_name;
  if (root.empty()) GTEST_SKIP() << "the root file system has no device here";
  EXPECT_THAT(find_precious_places("/").front().devices, Contains(root));
  EXPECT_THAT(refusal(true, {{"the root file system", {name()}}}), HasSubstr("the root file system lies on it"));
}

TEST_F(real_devices, are_block_devices) {
  EXPECT_THAT(refusal_of(image_, true), HasSubstr("no block device"));
  EXPECT_THAT(refusal_of("/dev/null", true), HasSubstr("no block device"));
  EXPECT_THAT(refusal_of(directory_ / "missing", true), HasSubstr("No such file"));
}

// A made-up sysfs: no disk with partitions is needed.
TEST(devices, overlap_with_their_disk_and_their_partitions_only) {
  const test::temporary_directory sys;
  const auto add = [&](const std::string& disk, const std::string& partition) {
    fs::create_directories(sys / ("devices/" + disk + "/" + partition));
    fs::create_directories(sys / "class/block");
    std::ofstream{sys / ("devices/" + disk + "/" + partition + "/partition")} << "1\n";
    std::error_code there;
    fs::create_directory_symlink(sys / ("devices/" + disk), sys / ("class/block/" + disk), there);
    fs::create_directory_symlink(sys / ("devices/" + disk + "/" + partition), sys / ("class/block/" + partition),
                                 there);
  };
  add("sdx", "sdx1");
  add("sdx", "sdx2");
  EXPECT_THAT(list_overlapping("sdx1", sys.path()), testing::UnorderedElementsAre("sdx1", "sdx"));
  EXPECT_THAT(list_overlapping("sdx", sys.path()), testing::UnorderedElementsAre("sdx", "sdx1", "sdx2"));
}

}  // namespace
}  // namespace freshet::tool
