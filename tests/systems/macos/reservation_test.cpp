// Space that macOS reserves.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/systems/macos/seam.hpp"

namespace freshet::detail::os {
namespace {

constexpr unsigned contiguous_or_nothing = F_ALLOCATECONTIG | F_ALLOCATEALL;
constexpr unsigned all_or_nothing = F_ALLOCATEALL;

// The call that is expected for `length` bytes of space.
made_call allocation(const file& of, std::uint64_t length, unsigned flags) {
  return {.name = "F_PREALLOCATE",
          .descriptor = of.descriptor(),
          .length = static_cast<long long>(length),
          .flags = flags,
          .mode = F_PEOFPOSMODE};
}

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

}  // namespace
}  // namespace freshet::detail::os
