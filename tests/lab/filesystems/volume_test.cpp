// Volumes: their names, what makes them, and the options that are tried.
#include "lab/filesystems/volume.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "lab/filesystems/mounting.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

TEST(a_volume, is_read_from_its_name) {
  for (const char* const name : {"ext4", "xfs -l size=64m -d agcount=4, noatime,nodiratime", "btrfs, noatime",
                                 "ext4 -O ^metadata_csum -T largefile, commit=60"})
    EXPECT_EQ(name_of(parse_volume(name)), name);
  const volume xfs = parse_volume("xfs -l size=64m -d agcount=4, noatime,nodiratime");
  EXPECT_THAT(xfs.made_with, ElementsAre("-l size=64m", "-d agcount=4"));
  EXPECT_THAT(xfs.mounted_with, ElementsAre("noatime", "nodiratime"));
}

TEST(a_volume, is_the_same_when_it_is_aged) {
  EXPECT_EQ(parse_volume("xfs -d agcount=4, noatime, aged"), parse_volume("xfs -d agcount=4, noatime"));
  EXPECT_EQ(parse_volume("ext4, aged"), parse_volume("ext4"));
}

TEST(a_volume, has_a_known_type_and_options_that_look_like_some) {
  EXPECT_THROW((void)parse_volume("nonsense"), std::invalid_argument);
  EXPECT_THROW((void)parse_volume(""), std::invalid_argument);
  EXPECT_THROW((void)parse_volume("ext4 noatime"), std::invalid_argument);
}

TEST(a_volume, is_made_without_questions_and_without_discards) {
  EXPECT_THAT(mkfs_words(parse_volume("xfs -d agcount=4, noatime"), "/dev/loop9"),
              ElementsAre(testing::EndsWith("mkfs.xfs"), "-q", "-f", "-K", "-d", "agcount=4", "/dev/loop9"));
}

TEST(a_volume, is_described_by_commands_to_type) {
  EXPECT_THAT(commands_for(parse_volume("xfs -d agcount=4, noatime"), "/dev/sdb", "/data"),
              ElementsAre("mkfs.xfs -d agcount=4 /dev/sdb", "mount -t xfs -o noatime /dev/sdb /data"));
  EXPECT_THAT(commands_for(parse_volume("ext4"), "/dev/sdb", "/data"),
              ElementsAre("mkfs.ext4 /dev/sdb", "mount -t ext4 /dev/sdb /data"));
}

std::vector<std::string> names(const std::vector<volume>& volumes) {
  std::vector<std::string> all;
  for (const volume& each : volumes) all.push_back(name_of(each));
  return all;
}

TEST(a_volume, is_varied_by_one_option_at_a_time) {
  EXPECT_THAT(names(add_mkfs_option(parse_volume("xfs"))), IsSupersetOf({"xfs -d agcount=4", "xfs -l size=64m"}));
  EXPECT_THAT(names(add_mkfs_option(parse_volume("xfs -d agcount=4"))), Contains("xfs -d agcount=4 -l size=64m"));
  for (const volume& each : add_mkfs_option(parse_volume("xfs -d agcount=8")))
    EXPECT_THAT(each.made_with, Not(Contains("-d agcount=4"))) << "another value of the same option";
  for (const volume& each : add_mkfs_option(parse_volume("btrfs -n 4096")))
    EXPECT_THAT(each.made_with, Not(Contains("-n 65536")));
  EXPECT_THAT(names(add_mkfs_option(parse_volume("xfs -m reflink=0"))), Contains("xfs -m reflink=0 -m finobt=0"));
  EXPECT_THAT(names(add_mkfs_option(parse_volume("ext4 -O fast_commit"))),
              Contains("ext4 -O fast_commit -O ^metadata_csum"));
  EXPECT_THAT(names(with_more_mounted(parse_volume("ext4, noatime"))), Contains("ext4, noatime,commit=60"));
  EXPECT_THAT(names(with_more_mounted(parse_volume("ext4, noatime"))), Not(Contains("ext4, noatime,noatime")));
}

TEST(a_volume, names_the_price_of_its_options) {
  EXPECT_THAT(drawbacks_of(parse_volume("ext4, noatime")), IsEmpty());
  EXPECT_THAT(drawbacks_of(parse_volume("ext4, noatime,data=writeback")),
              ElementsAre("data=writeback: after a crash, files may show what deleted files held"));
}

TEST(the_preset_w4, has_the_published_options_and_says_what_changed) {
  const volume_preset preset = parse_preset("w4");
  EXPECT_THAT(preset.volumes, Contains("xfs -l size=64m -d agcount=4, noatime,nodiratime"));
  EXPECT_THAT(preset.methods, ElementsAre("stdio", "aio", "buffered"));
  EXPECT_THAT(preset.remarks, IsSupersetOf({"published: mkfs.xfs -l size=32m -d agcount=4, mounted "
                                            "noatime,nodiratime,osyncisdsync",
                                            "today mkfs.xfs makes no log below 64 MiB, so -l size=64m stands for it",
                                            "osyncisdsync is no mount option any more: Linux does what it asked for "
                                            "since 2.6.33"}));
  EXPECT_THROW((void)parse_preset("w5"), std::invalid_argument);
}

class available_kinds : public testing::Test {
 protected:
  available_kinds() {
    std::filesystem::create_directory(bin_);
    setenv("PATH", bin_.c_str(), 1);
  }
  void install(const std::string& program) const {
    std::ofstream{bin_ / program} << "#!/bin/sh\n";
    std::filesystem::permissions(bin_ / program, std::filesystem::perms::owner_all);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream{root_ / name} << text; }

  test::temporary_directory root_;
  std::filesystem::path bin_ = root_ / "bin";
};

TEST_F(available_kinds, need_a_program_and_the_kernel) {
  volume_kind made_up{.type = "madeupfs", .package = "madeup-tools"};
  EXPECT_EQ(why_unavailable(made_up, root_.path(), root_.path()),
            "mkfs.madeupfs is not installed (package madeup-tools)");
  install("mkfs.madeupfs");
  EXPECT_EQ(why_unavailable(made_up, root_.path(), root_.path()), "this kernel has no madeupfs");
  write("filesystems", "nodev\tproc\n\tmadeupfs\n");
  EXPECT_EQ(why_unavailable(made_up, root_.path(), root_.path()), "");
  write("filesystems", "nodev\tmadeupfs\n");
  EXPECT_NE(why_unavailable(made_up, root_.path(), root_.path()), "") << "it has no device";
  write("modules.dep", "kernel/fs/madeupfs/madeupfs.ko.xz: kernel/lib/other.ko\n");
  EXPECT_EQ(why_unavailable(made_up, root_.path(), root_.path()), "") << "the kernel loads it on mounting";
}

TEST(a_mount_request, separates_flags_from_what_the_file_system_reads) {
  const mount_request request = make_mount_request({"noatime", "logbsize=256k", "nodiratime", "allocsize=64m"});
  EXPECT_EQ(request.data, "logbsize=256k,allocsize=64m");
  EXPECT_NE(request.flags, 0U);
  EXPECT_EQ(make_mount_request({}).flags, 0U);
}

}  // namespace
}  // namespace freshet::tool
