// RAIDs as md describes them, the options of mkfs that fit them, and what a flush costs.
#include "lab/filesystems/device_traits.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <freshet/error.hpp>

#include "lab/filesystems/loop_file.hpp"
#include "lab/filesystems/volume.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/machine_tree.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class raid : public testing::Test {
 protected:
  raid() { machine_.add_disk("md0"); }

  // What md(4) shows of the array.
  void make_array(const std::string& level, int disks, int layout = 0) {
    const std::string md = "sys/devices/md0/md/";
    machine_.write(md + "level", level);
    machine_.write(md + "raid_disks", std::to_string(disks));
    machine_.write(md + "chunk_size", "65536");
    machine_.write(md + "layout", std::to_string(layout));
  }
  [[nodiscard]] std::optional<raid_geometry> found() const { return find_raid("md0", machine_.sys()); }

  test::machine_tree machine_;
};

TEST_F(raid, has_disks_with_data) {
  make_array("raid0", 4);
  EXPECT_EQ(found(), (raid_geometry{65536, 4}));
  make_array("raid5", 4);
  EXPECT_EQ(found(), (raid_geometry{65536, 3}));
  make_array("raid6", 6);
  EXPECT_EQ(found(), (raid_geometry{65536, 4}));
  make_array("raid10", 4, 0x102);
  EXPECT_EQ(found(), (raid_geometry{65536, 2}));
}

TEST_F(raid, is_none_where_data_is_not_spread) {
  EXPECT_EQ(find_raid("sda", machine_.sys()), std::nullopt);
  make_array("raid1", 2);
  EXPECT_EQ(found(), std::nullopt);
}

TEST(raid_geometry, is_read_from_text) {
  EXPECT_EQ(parse_raid("64Kx4"), (raid_geometry{65536, 4}));
  for (const char* const text : {"", "64K", "64Kx", "x4", "64Kx0", "64Kx4x", "0x4", "1000x4", "64Kx99999"})
    EXPECT_THROW((void)parse_raid(text), std::invalid_argument) << text;
}

TEST(raid_geometry, is_told_to_mkfs) {
  const raid_geometry four{65536, 4};
  EXPECT_EQ(stripe_option("xfs", four), "-d su=65536,sw=4");
  EXPECT_EQ(stripe_option("ext4", four), "-E stride=16,stripe_width=64");
  EXPECT_EQ(stripe_option("btrfs", four), "");
  const auto words = mkfs_words(parse_volume("ext4 -E stride=16,stripe_width=64"), "/dev/loop9");
  EXPECT_THAT(words, Contains("nodiscard,lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=64"))
      << "mke2fs takes only one -E";
}

class a_device : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "a loop device takes root";
  }

  test::temporary_directory directory_;
};

TEST_F(a_device, gets_file_systems_that_know_their_raid) {
  const loop_file image{directory_ / "image", std::uint64_t{1} << 30};
  const auto output_of = [&](const std::string& words) {
    EXPECT_EQ(std::system(fmt::format("{} >{}/output 2>&1", words, directory_.path().string()).c_str()), 0)
        << test::content_of(directory_ / "output");
    return test::content_of(directory_ / "output");
  };
  const auto make = [&](const std::string& volume) {
    static_cast<void>(output_of(fmt::format("{}", fmt::join(mkfs_words(parse_volume(volume), image.device()), " "))));
  };
  make("ext4 " + stripe_option("ext4", {65536, 4}));
  EXPECT_THAT(output_of("dumpe2fs -h " + image.device()),
              AllOf(HasSubstr("RAID stride:              16"), HasSubstr("RAID stripe width:        64")));
  make("xfs " + stripe_option("xfs", {65536, 4}));
  EXPECT_THAT(output_of("xfs_db -r -c 'sb 0' -c 'p unit width' " + image.device()),
              AllOf(HasSubstr("unit = 16"), HasSubstr("width = 64")));
}

TEST_F(a_device, takes_its_time_to_have_a_block) {
  const loop_file image{directory_ / "image", std::uint64_t{16} << 20};
  const double milliseconds = measure_flush(image.device());
  EXPECT_GT(milliseconds, 0);
  EXPECT_TRUE(std::isfinite(milliseconds));
  EXPECT_THAT(describe_durability(image.device(), milliseconds), StartsWith(image.device() + " "));
  EXPECT_THROW((void)measure_flush(directory_ / "none"), error);
}

TEST_F(raid, is_not_needed_to_tell_of_a_write_cache) {
  machine_.write("sys/devices/sda/queue/write_cache", "write back");
  EXPECT_EQ(describe_durability("/dev/sda", 1.5, machine_.sys()),
            "/dev/sda has a write cache, which is flushed: a block of 4 KiB is durable after 1.50 ms.");
}

}  // namespace
}  // namespace freshet::tool
