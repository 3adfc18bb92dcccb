// When macOS has it on the device.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

#include "src/os/unix/system.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/systems/macos/seam.hpp"

namespace freshet::detail::os {
namespace {

TEST_F(macos_seam, has_the_drive_write_its_cache_where_others_sync) {
  auto opened = open();
  opened.sync_data(error_);
  EXPECT_FALSE(error_) << error_.message();
  opened.sync(error_);
  EXPECT_FALSE(error_) << error_.message();
  const made_call full{.name = "F_FULLFSYNC", .descriptor = opened.descriptor()};
  EXPECT_EQ(calls(), (std::vector{full, full}));
}

TEST_F(macos_seam, has_the_drive_write_the_entries_of_a_directory) {
  sync_directory(scratch_.path(), error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(system().names(), names{"F_FULLFSYNC"});
}

TEST_F(macos_seam, syncs_as_posix_does_where_the_file_system_does_not_know_the_command) {
  auto opened = open();
  for (const int number : {ENOTSUP, ENOTTY, EINVAL}) {
    system() = {};
    system().errors["F_FULLFSYNC"] = {number};
    opened.sync_data(error_);
    EXPECT_FALSE(error_) << error_.message();
    EXPECT_EQ(system().names(), (names{"F_FULLFSYNC", "fsync"}));
    EXPECT_EQ(calls().back().descriptor, opened.descriptor());
  }
}

TEST_F(macos_seam, reports_bytes_that_the_device_lost_and_does_not_sync_again) {
  auto opened = open();
  for (const int number : {EIO, ENOSPC, EBADF}) {
    system() = {};
    system().errors["F_FULLFSYNC"] = {number};
    opened.sync(error_);
    EXPECT_EQ(error_, std::error_code(number, std::system_category()));
    EXPECT_EQ(system().names(), names{"F_FULLFSYNC"});
  }
}

TEST_F(macos_seam, reports_bytes_that_were_lost_where_the_command_is_unknown) {
  auto opened = open();
  system().errors = {{"F_FULLFSYNC", {ENOTSUP}}, {"fsync", {EIO}}};
  opened.sync_data(error_);
  EXPECT_EQ(error_, std::errc::io_error);
}

TEST_F(macos_seam, does_not_take_synchronous_writes_for_durable) { EXPECT_FALSE(has_synchronous_writes()); }

TEST_F(macos_seam, syncs_a_file_system_up_to_its_device) {
  const auto opened = open();
  sync_file_system(opened, error_);
  EXPECT_FALSE(error_) << error_.message();
  const made_call full{.name = "fsync_volume_np", .descriptor = opened.descriptor(), .argument = 3};
  EXPECT_EQ(calls(), std::vector{full});
  system().errors["fsync_volume_np"] = {EIO};
  sync_file_system(opened, error_);
  EXPECT_EQ(error_, std::errc::io_error);
}

TEST_F(macos_seam, waits_for_the_page_cache_without_the_drive) {
  auto opened = open();
  opened.wait_writeback(0, MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(system().names(), names{"fsync"});
  system().errors["fsync"] = {EIO};
  opened.wait_writeback(0, MiB, error_);
  EXPECT_EQ(error_, std::errc::io_error);
}

TEST_F(macos_seam, makes_no_call_that_a_test_prevents) {
  auto opened = open();
  test::fault_injection faults;
  for (const call each : {call::sync_data, call::sync_file, call::wait_writeback, call::set_direct, call::preallocate,
                          call::advise, call::status})
    faults.fail_always(each, std::errc::io_error);
  const auto fails = [&] { return error_ == std::errc::io_error; };
  opened.sync_data(error_);
  EXPECT_TRUE(fails());
  opened.sync(error_);
  EXPECT_TRUE(fails());
  opened.wait_writeback(0, 1, error_);
  EXPECT_TRUE(fails());
  opened.set_direct(true, error_);
  EXPECT_TRUE(fails());
  opened.preallocate(0, MiB, error_);
  EXPECT_TRUE(fails());
  opened.advise(advice::random, 0, 0, error_);
  EXPECT_TRUE(fails());
  EXPECT_EQ(file_system_key(opened), "");
  EXPECT_EQ(calls(), std::vector<made_call>{});
}

}  // namespace
}  // namespace freshet::detail::os
