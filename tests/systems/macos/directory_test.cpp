// Names on macOS, what belongs to them, file systems and descriptors.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "src/os/directory.hpp"
#include "src/os/unix/system.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/systems/macos/numbers.hpp"
#include "tests/systems/macos/seam.hpp"

namespace freshet::detail::os {
namespace {

TEST_F(macos_seam, finds_the_directory_that_holds_an_open_file_now) {
  const auto opened = open();
  const auto elsewhere = scratch_ / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::ofstream{elsewhere / "there"};
  system().path = elsewhere / "file";
  EXPECT_EQ(directory::containing(opened, path_, error_).names(error_), names{"there"});
  EXPECT_EQ(calls(), std::vector{(made_call{.name = "F_GETPATH", .descriptor = opened.descriptor()})});
}

TEST_F(macos_seam, looks_for_the_directory_by_its_path_where_the_file_has_no_name) {
  const auto opened = open();
  system().errors["F_GETPATH"] = {ENOENT};
  system().path = "/nowhere/file";
  EXPECT_EQ(directory::containing(opened, path_, error_).names(error_), names{"file"});
  EXPECT_FALSE(error_) << error_.message();
}

TEST_F(macos_seam, copies_lists_and_attributes_with_mode_and_owner) {
  const auto original = open();
  ASSERT_EQ(::fchmod(original.descriptor(), 0640), 0);
  const auto target = file::open(scratch_ / "new", {}, error_);
  const auto parent = directory::open(scratch_.path(), error_);
  EXPECT_TRUE(parent.copy_attributes("file", target, error_));
  EXPECT_FALSE(error_) << error_.message();
  ASSERT_EQ(system().names(), names{"fcopyfile"});
  EXPECT_EQ(calls()[0].flags, static_cast<unsigned>(COPYFILE_ACL | COPYFILE_XATTR));
  EXPECT_EQ(calls()[0].argument, target.descriptor());
  EXPECT_NE(calls()[0].descriptor, target.descriptor());
  EXPECT_EQ(std::filesystem::status(scratch_ / "new").permissions(), std::filesystem::perms{0640});
}

TEST_F(macos_seam, keeps_the_mode_where_the_file_system_has_no_lists) {
  const auto original = open();
  const auto target = file::open(scratch_ / "new", {}, error_);
  const auto parent = directory::open(scratch_.path(), error_);
  system().errors["fcopyfile"] = {ENOTSUP};
  EXPECT_TRUE(parent.copy_attributes("file", target, error_));
  EXPECT_FALSE(error_) << error_.message();
}

TEST_F(macos_seam, gives_no_file_the_place_of_one_whose_lists_it_lacks) {
  const auto original = open();
  const auto target = file::open(scratch_ / "new", {}, error_);
  const auto parent = directory::open(scratch_.path(), error_);
  system().errors["fcopyfile"] = {EPERM};
  EXPECT_FALSE(parent.copy_attributes("file", target, error_));
  EXPECT_EQ(error_, std::errc::operation_not_permitted);
  test::fault_injection faults;
  faults.fail_always(call::open, std::errc::permission_denied);
  EXPECT_FALSE(parent.copy_attributes("file", target, error_));
  EXPECT_EQ(error_, std::errc::permission_denied);
  EXPECT_EQ(system().names(), names{"fcopyfile"});
}

TEST_F(macos_seam, uses_a_directory_that_may_not_be_read) {
  test::fault_injection faults;
  faults.fail(call::open_directory, 1, std::errc::permission_denied);
  const auto opened = directory::open(scratch_.path(), error_);
  ASSERT_TRUE(opened.is_open()) << error_.message();
  EXPECT_EQ(faults.count(call::open_directory), 2U);
  EXPECT_TRUE(opened.open_file("file", {}, error_).is_open()) << error_.message();
}

TEST_F(macos_seam, has_no_files_without_names) {
  EXPECT_FALSE(file::open(scratch_.path(), {.creation = open_request::disposition::unnamed}, error_).is_open());
  EXPECT_EQ(error_, std::errc::operation_not_supported);
  EXPECT_FALSE(file::in_memory(error_).is_open());
  EXPECT_EQ(error_, std::errc::operation_not_supported);
}

TEST_F(macos_seam, knows_a_volume_by_its_identity) {
  const auto opened = open();
  EXPECT_EQ(file_system_key(opened), "uuid:00112233-4455-6677-8899-aabbccddeeff");
  const made_call question{.name = "fgetattrlist",
                           .descriptor = opened.descriptor(),
                           .length = 20,
                           .flags = ATTR_VOL_INFO | ATTR_VOL_UUID,
                           .mode = ATTR_BIT_MAP_COUNT};
  EXPECT_EQ(calls(), std::vector{question});
}

TEST_F(macos_seam, knows_a_volume_without_identity_by_its_device) {
  const auto opened = open();
  system().type = "msdos";
  system().errors["fgetattrlist"] = {EINVAL};
  EXPECT_EQ(file_system_key(opened), "msdos:/dev/disk3s1");
  system().identity_length = 4;
  EXPECT_EQ(file_system_key(opened), "msdos:/dev/disk3s1");
  system().errors["fstatfs"] = {EIO};
  EXPECT_EQ(file_system_key(opened), "");
}

TEST_F(macos_seam, tells_the_type_of_a_file_system) {
  const auto opened = open();
  EXPECT_EQ(file_system_type(opened), "apfs");
  EXPECT_FALSE(is_in_memory(opened));
  system().type = "tmpfs";
  EXPECT_TRUE(is_in_memory(opened));
  EXPECT_EQ(file_system_of(scratch_.path(), error_).type, "tmpfs");
}

TEST_F(macos_seam, tells_whether_other_machines_use_a_file_system) {
  const auto opened = open();
  EXPECT_FALSE(is_local(opened));
  system().mount_flags = MNT_LOCAL;
  EXPECT_TRUE(is_local(opened));
}

TEST_F(macos_seam, closes_a_replaced_descriptor_in_programs_that_the_process_becomes) {
  auto first = open();
  const auto second = file::open(scratch_ / "other", {}, error_);
  first.replace(second, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(first.status(error_).inode, second.status(error_).inode);
  EXPECT_EQ(::fcntl(first.descriptor(), F_GETFD), FD_CLOEXEC);
}

TEST_F(macos_seam, locks_a_file_for_one_descriptor) {
  const auto first = open();
  const auto second = open();
  first.lock(error_);
  EXPECT_FALSE(error_) << error_.message();
  second.lock(error_);
  EXPECT_EQ(error_, std::errc::operation_would_block);
}

TEST_F(macos_seam, tells_when_a_file_was_changed) {
  const auto opened = open();
  const struct timespec times[] = {{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 3, .tv_nsec = 4}};
  ASSERT_EQ(::futimens(opened.descriptor(), times), 0);
  EXPECT_EQ(opened.status(error_).modified, 3'000'000'004);
}

}  // namespace
}  // namespace freshet::detail::os
