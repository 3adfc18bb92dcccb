// The seam of macOS on Linux: what it asks the system for, and what it makes of each answer. The calls are
// fake/calls.hpp's.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/os/unix/system.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/systems/macos/fake/calls.hpp"
#include "tests/systems/macos/numbers.hpp"

namespace freshet::detail::os {
namespace {

using fake_macos::made_call;
using names = std::vector<std::string>;

constexpr unsigned contiguous_or_nothing = F_ALLOCATECONTIG | F_ALLOCATEALL;
constexpr unsigned all_or_nothing = F_ALLOCATEALL;
constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

class macos_seam : public testing::Test {
 protected:
  macos_seam() { fake_macos::state() = {}; }

  static fake_macos::system_state& system() { return fake_macos::state(); }
  static const std::vector<made_call>& calls() { return system().calls; }
  file open() {
    auto opened = file::open(path_, {.creation = open_request::disposition::create, .read = true}, error_);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }
  // The call that is expected for `length` bytes of space.
  static made_call allocation(const file& of, std::uint64_t length, unsigned flags) {
    return {.name = "F_PREALLOCATE",
            .descriptor = of.descriptor(),
            .length = static_cast<long long>(length),
            .flags = flags,
            .mode = F_PEOFPOSMODE};
  }

  test::temporary_directory scratch_;
  const std::string path_ = scratch_ / "file";
  std::error_code error_;
};

// Durability

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

// Past the page cache

TEST_F(macos_seam, turns_caching_off_and_on_once_each) {
  auto opened = open();
  for (const bool on : {true, true, false, false}) {
    opened.set_direct(on, error_);
    EXPECT_FALSE(error_) << error_.message();
    EXPECT_EQ(opened.is_direct(), on);
  }
  const made_call off{.name = "F_NOCACHE", .descriptor = opened.descriptor(), .argument = 1};
  const made_call on{.name = "F_NOCACHE", .descriptor = opened.descriptor(), .argument = 0};
  EXPECT_EQ(calls(), (std::vector{off, on}));
}

TEST_F(macos_seam, is_not_direct_where_the_system_refuses) {
  auto opened = open();
  system().errors["F_NOCACHE"] = {EBADF, ENOTSUP};
  opened.set_direct(true, error_);
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
  EXPECT_FALSE(opened.is_direct());
  opened.set_direct(true, error_);
  EXPECT_EQ(error_, std::errc::operation_not_supported);  // the number that the methods look for
  EXPECT_FALSE(opened.is_direct());
}

TEST_F(macos_seam, requires_no_alignment) {
  const auto limits = open().direct_alignment();
  ASSERT_TRUE(limits.has_value());
  EXPECT_EQ(limits->memory, 1U);
  EXPECT_EQ(limits->offset, 1U);
}

// Space

TEST_F(macos_seam, allocates_in_one_piece_beyond_the_end) {
  auto opened = open();
  opened.preallocate(0, 8 * MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(calls(), std::vector{allocation(opened, 8 * MiB, contiguous_or_nothing)});
  EXPECT_EQ(opened.status(error_).size, 0U);
}

TEST_F(macos_seam, allocates_in_several_pieces_where_no_one_is_long_enough) {
  auto opened = open();
  system().errors["F_PREALLOCATE"] = {ENOSPC, 0};
  opened.preallocate(0, 8 * MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(calls(), (std::vector{allocation(opened, 8 * MiB, contiguous_or_nothing),
                                  allocation(opened, 8 * MiB, all_or_nothing)}));
}

TEST_F(macos_seam, reports_that_there_is_no_space) {
  auto opened = open();
  system().errors["F_PREALLOCATE"] = {ENOSPC, ENOSPC};
  opened.preallocate(0, MiB, error_);
  EXPECT_EQ(error_, std::errc::no_space_on_device);
}

TEST_F(macos_seam, reports_that_a_file_system_cannot_reserve) {
  auto opened = open();
  system().errors["F_PREALLOCATE"] = {ENOTSUP, ENOTSUP};
  opened.preallocate(0, MiB, error_);
  EXPECT_EQ(error_, std::errc::operation_not_supported);
}

TEST_F(macos_seam, counts_from_the_end_of_the_size_where_the_file_has_holes) {
  auto opened = open();
  opened.set_size(MiB, error_);
  opened.preallocate(MiB, 2 * MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(calls(), std::vector{allocation(opened, 2 * MiB, contiguous_or_nothing)});
}

TEST_F(macos_seam, counts_from_the_end_of_the_space_where_it_has_more_than_its_size) {
  auto opened = open();
  opened.write_at(std::vector<std::byte>(1), 0, error_);
  opened.sync(error_);
  ::sync();
  const auto status = opened.status(error_);
  if (status.allocated <= status.size) GTEST_SKIP() << "the file system packs small files";
  system() = {};
  opened.preallocate(0, MiB, error_);
  EXPECT_EQ(calls(), std::vector{allocation(opened, MiB - status.allocated, contiguous_or_nothing)});
}

TEST_F(macos_seam, asks_for_no_space_that_the_file_has) {
  auto opened = open();
  opened.set_size(MiB, error_);
  opened.preallocate(0, MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(calls(), std::vector<made_call>{});
}

TEST_F(macos_seam, reports_that_the_size_to_count_from_is_unknown) {
  auto closed = file::wrap(std::numeric_limits<int>::max(), false);
  closed.preallocate(0, MiB, error_);
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
  EXPECT_EQ(calls(), std::vector<made_call>{});
}

TEST_F(macos_seam, frees_space_without_another_size) {
  auto opened = open();
  opened.set_size(MiB, error_);
  opened.free_preallocation(MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(opened.status(error_).size, MiB);
  auto read_only = file::open_existing(path_, error_);
  read_only.free_preallocation(MiB, error_);
  EXPECT_EQ(error_, std::errc::invalid_argument);
}

// The page cache

TEST_F(macos_seam, has_reading_ahead_follow_the_access) {
  auto opened = open();
  opened.advise(advice::sequential, 0, 0, error_);
  EXPECT_FALSE(error_) << error_.message();
  opened.advise(advice::random, 0, 0, error_);
  EXPECT_FALSE(error_) << error_.message();
  const made_call ahead{.name = "F_RDAHEAD", .descriptor = opened.descriptor(), .argument = 1};
  const made_call not_ahead{.name = "F_RDAHEAD", .descriptor = opened.descriptor(), .argument = 0};
  EXPECT_EQ(calls(), (std::vector{ahead, not_ahead}));
}

TEST_F(macos_seam, reads_ahead_what_will_be_needed) {
  constexpr auto most = std::numeric_limits<int>::max();
  auto opened = open();
  opened.advise(advice::will_need, MiB, 2 * MiB, error_);
  opened.advise(advice::will_need, MiB, 0, error_);
  opened.advise(advice::will_need, 0, std::uint64_t{most} + 1, error_);
  EXPECT_FALSE(error_) << error_.message();
  const auto ahead = [&](long long offset, long long length) {
    return made_call{.name = "F_RDADVISE", .descriptor = opened.descriptor(), .offset = offset, .length = length};
  };
  EXPECT_EQ(calls(), (std::vector{ahead(MiB, 2 * MiB), ahead(MiB, most), ahead(0, most)}));
  system().errors = {{"F_RDADVISE", {EINVAL}}, {"F_RDAHEAD", {EBADF}}};
  opened.advise(advice::will_need, 0, 1, error_);
  EXPECT_EQ(error_, std::errc::invalid_argument);
  opened.advise(advice::random, 0, 0, error_);
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
}

TEST_F(macos_seam, takes_advice_that_no_call_is_for) {
  auto opened = open();
  for (const advice each : {advice::dont_need, advice::no_reuse}) {
    opened.advise(each, 0, MiB, error_);
    EXPECT_FALSE(error_) << error_.message();
  }
  EXPECT_EQ(calls(), std::vector<made_call>{});
}

TEST_F(macos_seam, counts_the_pages_that_are_in_memory) {
  auto opened = open();
  opened.set_size(10 * page_size() + 1, error_);
  // What else mincore says of a page does not make it one that is in memory: changed, paged out, anonymous.
  system().page = [](std::size_t page) { return static_cast<char>(page < 3 ? 0x1 | 0x4 : 0x24 | 0x80); };
  const auto all = opened.cached(error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(all.pages, 11U);
  EXPECT_EQ(all.cached, 3U);
  EXPECT_EQ(all.dirty, 0U);
  const auto two = opened.cached(error_, 2 * page_size());
  EXPECT_EQ(two.pages, 2U);
  EXPECT_EQ(two.cached, 2U);
  EXPECT_EQ(opened.cached_in(4 * page_size(), 5 * page_size(), error_).pages, 5U);
  EXPECT_EQ(calls().back().length, static_cast<long long>(5 * page_size()));
}

TEST_F(macos_seam, asks_for_a_large_file_in_parts) {
  constexpr std::uint64_t GiB = 1024 * MiB;
  auto opened = open();
  opened.set_size(GiB + MiB, error_);
  if (error_) GTEST_SKIP() << "no file of that size here: " << error_.message();
  system().page = [](std::size_t page) { return static_cast<char>(page == 0); };
  const auto all = opened.cached(error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(all.cached, 2U);  // the first page of each part
  ASSERT_EQ(calls().size(), 2U);
  EXPECT_EQ(calls()[0].length, static_cast<long long>(GiB));
  EXPECT_EQ(calls()[1].length, static_cast<long long>(MiB));
}

TEST_F(macos_seam, reports_that_pages_cannot_be_counted) {
  auto opened = open();
  opened.set_size(MiB, error_);
  system().errors["mincore"] = {ENOMEM};
  EXPECT_EQ(opened.cached(error_).pages, 0U);
  EXPECT_EQ(error_, std::errc::not_enough_memory);
  EXPECT_EQ(opened.unwritten(0, MiB, error_), 0U);
  EXPECT_EQ(error_, std::errc::function_not_supported);
}

// Names and what belongs to them

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

// File systems

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

// Descriptors

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
