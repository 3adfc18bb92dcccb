#include "src/os/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using disposition = open_request::disposition;
using test::fault_injection;
using test::temporary_directory;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

std::string content_of(const file& from) {
  std::string text(1 << 20, '\0');
  std::error_code error;
  text.resize(file::wrap(from.descriptor(), false).read_at(std::as_writable_bytes(std::span{text}), 0, error));
  return text;
}

bool is_open_descriptor(native_handle_type descriptor) {
  std::error_code error;
  std::ignore = file::wrap(descriptor, false).status(error);
  return !error;
}

class os_file : public testing::Test {
 protected:
  file make(std::string_view name, open_request request = {.creation = disposition::truncate, .read = true}) {
    file opened = file::open(directory_ / name, request, error_);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }
  file make_with(std::string_view name, std::string_view text) {
    file opened = make(name);
    EXPECT_EQ(opened.write_at(bytes_of(text), 0, error_), text.size());
    return opened;
  }
  // A file system in memory has no block device.
  bool is_in_memory() {
    const std::string type = file_system_of(directory_.path(), error_).type;
    return type == "tmpfs" || type == "ramfs";
  }

  temporary_directory directory_;
  std::error_code error_;
};

TEST_F(os_file, opens_existing_files_only_when_they_exist) {
  const auto missing = file::open(directory_ / "missing", {.creation = disposition::existing}, error_);
  EXPECT_FALSE(missing.is_open());
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  make_with("there", "abc");
  const auto existing = file::open(directory_ / "there", {.creation = disposition::existing, .read = true}, error_);
  EXPECT_FALSE(error_);
  EXPECT_EQ(content_of(existing), "abc");
}

TEST_F(os_file, create_keeps_truncate_empties_create_new_refuses) {
  make_with("f", "abc");
  EXPECT_EQ(content_of(make("f", {.creation = disposition::create, .read = true})), "abc");
  EXPECT_FALSE(file::open(directory_ / "f", {.creation = disposition::create_new}, error_).is_open());
  EXPECT_EQ(error_, std::errc::file_exists);
  EXPECT_EQ(content_of(make("f", {.creation = disposition::truncate, .read = true})), "");
  EXPECT_TRUE(make("new", {.creation = disposition::create_new}).is_open());
}

TEST_F(os_file, opens_with_the_flags_asked_for) {
  const file appending = make("f", {.creation = disposition::create, .append = true, .synchronous = true});
  const int flags = ::fcntl(appending.descriptor(), F_GETFL);
  EXPECT_TRUE(flags & O_APPEND);
  EXPECT_TRUE(flags & O_DSYNC);
  EXPECT_EQ(flags & O_ACCMODE, O_WRONLY);
  EXPECT_EQ(::fcntl(appending.descriptor(), F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(appending.appends());
  EXPECT_FALSE(appending.reads_and_writes());
  const file both = make("f");
  EXPECT_FALSE(both.appends());
  EXPECT_TRUE(both.reads_and_writes());
  const file reading = make("f", {.creation = disposition::existing, .read = true, .write = false});
  EXPECT_EQ(::fcntl(reading.descriptor(), F_GETFL) & O_ACCMODE, O_RDONLY);
}

TEST_F(os_file, opens_with_the_permissions_asked_for) {
  const mode_t before = ::umask(022);
  const file opened = make("f", {.permissions = 0666});
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::fstat(opened.descriptor(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(os_file, opens_again_after_an_interruption) {
  fault_injection faults;
  faults.fail(call::open, 1, 3, std::errc::interrupted);
  EXPECT_TRUE(make("f").is_open());
  EXPECT_EQ(faults.count(call::open), 4U);
}

TEST_F(os_file, closes_what_it_owns_and_only_that) {
  native_handle_type owned = no_native_handle;
  {
    const file opened = make("f");
    owned = opened.descriptor();
    file borrowed = file::wrap(owned, false);
    borrowed.close(error_);
    EXPECT_FALSE(error_);
    EXPECT_FALSE(borrowed.is_open());
    EXPECT_TRUE(is_open_descriptor(owned));
  }
  EXPECT_FALSE(is_open_descriptor(owned));
}

TEST_F(os_file, close_lets_go_whatever_it_reports) {
  file opened = make("f");
  const auto descriptor = opened.descriptor();
  fault_injection faults;
  faults.fail(call::close, 1, std::errc::io_error);
  opened.close(error_);
  EXPECT_EQ(error_, std::errc::io_error);
  EXPECT_FALSE(opened.is_open());
  EXPECT_FALSE(is_open_descriptor(descriptor));
  opened.close(error_);
  EXPECT_FALSE(error_);
  EXPECT_EQ(faults.count(call::close), 1U);
}

TEST_F(os_file, an_interrupted_close_has_closed) {
  file opened = make("f");
  fault_injection faults;
  faults.fail(call::close, 1, std::errc::interrupted);
  opened.close(error_);
  EXPECT_FALSE(error_);
}

TEST_F(os_file, moving_hands_the_descriptor_on_and_closes_the_old_one) {
  file first = make("first");
  file second = make("second");
  const auto kept = first.descriptor();
  const auto dropped = second.descriptor();
  second = std::move(first);
  EXPECT_EQ(second.descriptor(), kept);
  EXPECT_FALSE(is_open_descriptor(dropped));
  const file third{std::move(second)};
  EXPECT_EQ(third.descriptor(), kept);
  EXPECT_TRUE(is_open_descriptor(kept));
}

TEST_F(os_file, writes_at_its_position_and_at_offsets) {
  file target = make("f");
  EXPECT_EQ(target.write(bytes_of("hello "), error_), 6U);
  EXPECT_EQ(target.write(bytes_of("world"), error_), 5U);
  EXPECT_EQ(target.write_at(bytes_of("J"), 0, error_), 1U);
  EXPECT_EQ(content_of(target), "Jello world");
  std::array<std::byte, 5> read{};
  EXPECT_EQ(target.read_at(read, 6, error_), 5U);
  EXPECT_EQ(std::memcmp(read.data(), "world", 5), 0);
  EXPECT_EQ(target.read_at(read, 11, error_), 0U);
  EXPECT_FALSE(error_);
}

TEST_F(os_file, appends_wherever_the_end_is) {
  file target = make("f", {.creation = disposition::create, .read = true, .append = true});
  file other = make("f", {.creation = disposition::existing});
  EXPECT_EQ(other.write(bytes_of("abc"), error_), 3U);
  EXPECT_EQ(target.write(bytes_of("def"), error_), 3U);
  EXPECT_EQ(content_of(target), "abcdef");
}

TEST_F(os_file, writes_dontcache_where_the_kernel_can) {
  file target = make("f");
  const std::size_t taken = target.write_dontcache(bytes_of("abc"), 2, error_);
  if (error_) {
    EXPECT_EQ(error_, std::errc::operation_not_supported);
    EXPECT_EQ(taken, 0U);
    GTEST_SKIP() << "no RWF_DONTCACHE here";
  }
  EXPECT_EQ(taken, 3U);
  EXPECT_EQ(content_of(target), std::string("\0\0abc", 5));
}

TEST_F(os_file, reports_what_the_kernel_refuses) {
  file reading = make_with("f", "abc");
  reading = make("f", {.creation = disposition::existing, .read = true, .write = false});
  EXPECT_EQ(reading.write(bytes_of("x"), error_), 0U);
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
  reading.set_size(1, error_);
  EXPECT_EQ(error_, std::errc::invalid_argument);
  reading.advise(static_cast<advice>(0), 0, 0, error_);
  EXPECT_FALSE(error_);
  file pipe_end = file::wrap(no_native_handle, false);
  pipe_end.advise(advice::random, 0, 0, error_);
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
}

TEST_F(os_file, preallocates_without_changing_the_size_and_gives_it_back) {
  constexpr std::uint64_t reserved = 1 << 20;
  file target = make_with("f", std::string(5000, 'x'));
  target.preallocate(0, reserved, error_);
  if (error_ == std::errc::operation_not_supported) GTEST_SKIP() << "the file system cannot preallocate";
  ASSERT_FALSE(error_) << error_.message();
  target.sync(error_);
  EXPECT_EQ(target.status(error_).size, 5000U);
  EXPECT_GE(target.status(error_).allocated, reserved);
  target.free_preallocation(5000, error_);
  EXPECT_FALSE(error_);
  EXPECT_EQ(target.status(error_).size, 5000U);
  EXPECT_LE(target.status(error_).allocated, 64U << 10);
  EXPECT_EQ(content_of(target), std::string(5000, 'x'));
}

TEST_F(os_file, sets_its_size_both_ways) {
  file target = make_with("f", "abcdef");
  target.set_size(3, error_);
  EXPECT_EQ(content_of(target), "abc");
  target.set_size(5, error_);
  EXPECT_EQ(content_of(target), std::string("abc\0\0", 5));
}

TEST_F(os_file, turns_direct_on_and_off_and_remembers) {
  file target = make("f");
  const int before = ::fcntl(target.descriptor(), F_GETFL);
  const auto limits = target.direct_alignment();
  fault_injection faults;
  target.set_direct(true, error_);
  if (error_ == std::errc::invalid_argument) {
    EXPECT_FALSE(target.is_direct());
    GTEST_SKIP() << "the file system has no O_DIRECT";
  }
  ASSERT_FALSE(error_);
  target.set_direct(true, error_);
  EXPECT_EQ(faults.count(call::set_direct), 1U);
  EXPECT_EQ(::fcntl(target.descriptor(), F_GETFL), before | O_DIRECT);
  EXPECT_TRUE(file::wrap(target.descriptor(), false).is_direct());
  if (limits && limits->offset > 1) {
    EXPECT_EQ(target.write_at(bytes_of("x"), 0, error_), 0U);
    EXPECT_EQ(error_, std::errc::invalid_argument);
  }
  target.set_direct(false, error_);
  EXPECT_EQ(::fcntl(target.descriptor(), F_GETFL), before);
  EXPECT_EQ(target.write_at(bytes_of("x"), 0, error_), 1U);
}

TEST_F(os_file, knows_what_kind_it_is) {
  file regular = make_with("f", "abc");
  const file_status status = regular.status(error_);
  EXPECT_EQ(status.kind, file_kind::regular);
  EXPECT_EQ(status.size, 3U);
  struct stat truth {};
  ASSERT_EQ(::fstat(regular.descriptor(), &truth), 0);
  EXPECT_EQ(status.inode, truth.st_ino);
  EXPECT_EQ(status.device, truth.st_dev);

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(file::wrap(ends[0], true).status(error_).kind, file_kind::pipe);
  EXPECT_EQ(file::wrap(ends[1], true).status(error_).kind, file_kind::pipe);
  const open_request reading{.creation = disposition::existing, .read = true, .write = false};
  EXPECT_EQ(file::open("/dev/null", reading, error_).status(error_).kind, file_kind::character_device);
  EXPECT_EQ(file::open("/", reading, error_).status(error_).kind, file_kind::directory);
}

TEST_F(os_file, lists_extents_in_order) {
  if (is_in_memory()) GTEST_SKIP() << "a file system in memory has no extents";
  const std::size_t piece = 64 << 10;
  file target = make_with("f", std::string(piece, 'x'));
  target.write_at(bytes_of(std::string(piece, 'y')), 4 * piece, error_);
  target.preallocate(8 * piece, piece, error_);
  ASSERT_FALSE(error_) << error_.message();
  target.sync(error_);
  const auto extents = target.extents(error_);
  if (error_ == std::errc::operation_not_supported) GTEST_SKIP() << "the file system has no FIEMAP";
  ASSERT_FALSE(error_) << error_.message();
  std::uint64_t written = 0;
  std::uint64_t unwritten = 0;
  std::uint64_t end = 0;
  for (const extent& each : extents) {
    EXPECT_GE(each.logical, end);
    end = each.logical + each.length;
    (each.unwritten ? unwritten : written) += each.length;
  }
  EXPECT_GE(written, 2 * piece);
  EXPECT_GE(unwritten, piece);
  EXPECT_GE(end, 9 * piece);
}

TEST_F(os_file, lists_more_extents_than_one_call_brings) {
  if (is_in_memory()) GTEST_SKIP() << "a file system in memory has no extents";
  constexpr std::size_t pieces = 300;
  const std::size_t page = page_size();
  file target = make("f");
  for (std::size_t i = 0; i < pieces; ++i) target.write_at(bytes_of(std::string(page, 'x')), 4 * i * page, error_);
  target.sync(error_);
  fault_injection faults;
  const auto extents = target.extents(error_);
  if (error_ == std::errc::operation_not_supported) GTEST_SKIP() << "the file system has no FIEMAP";
  // XFS also allocates space between the pieces.
  ASSERT_GE(extents.size(), pieces);
  EXPECT_TRUE(std::ranges::is_sorted(extents, {}, &extent::logical));
  EXPECT_GE(extents.back().logical + extents.back().length, (4 * pieces - 3) * page);
  EXPECT_GT(faults.count(call::status), 1U);
}

TEST_F(os_file, names_change_and_vanish) {
  make_with("from", "abc");
  detail::os::rename(directory_ / "from", directory_ / "to", error_);
  EXPECT_FALSE(error_);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "from"));
  sync_directory(directory_.path(), error_);
  EXPECT_FALSE(error_);
  sync_directory("", error_);
  EXPECT_FALSE(error_);
  sync_directory(directory_ / "missing", error_);
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  detail::os::remove(directory_ / "to", error_);
  EXPECT_FALSE(error_);
  detail::os::remove(directory_ / "to", error_);
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  detail::os::rename(directory_ / "to", directory_ / "from", error_);
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace freshet::detail::os
