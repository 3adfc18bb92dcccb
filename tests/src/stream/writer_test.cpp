#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using test::bytes_from;
using test::content_of;
using test::expect_prefix;
using test::fault_injection;
using testing::HasSubstr;

std::uint64_t allocated(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t bytes = detail::os::status_of(path, error).allocated;
  EXPECT_FALSE(error) << error.message();
  return bytes;
}

void put_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::binary} << text;
}

class writing : public testing::Test {
 protected:
  // Expects opening to fail with `why`; returns the message.
  std::string refusal(const writer_options& options, std::errc why) {
    try {
      const writer out{path_, options};
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), why) << caught.what();
      EXPECT_EQ(caught.path(), path_);
      EXPECT_EQ(caught.operation(), "open");
      return caught.what();
    }
    ADD_FAILURE() << "was opened";
    return {};
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  std::error_code failure_;
};

TEST_F(writing, writes_by_every_function) {
  writer out{path_};
  EXPECT_TRUE(out.is_open());
  EXPECT_EQ(out.method(), "buffered");
  out.write("text");
  out.write(std::as_bytes(std::span{std::string_view{" bytes"}}));
  out.put('!');
  out.write("0123456789", 3, 4);
  out.write("0123456789", 8, 100);
  out.write("0123456789", 10, 1);
  EXPECT_THROW(out.write("0123456789", 11, 1), std::out_of_range);
  out.write("?", failure_);
  out.put('.', failure_);
  out.write(std::as_bytes(std::span{std::string_view{"\n"}}), failure_);
  EXPECT_FALSE(failure_);
  EXPECT_EQ(out.tell(), 20U);
  EXPECT_EQ(out.size(), 20U);
  out.close();
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(content_of(path_), "text bytes!345689?.\n");
}

TEST_F(writing, what_is_put_into_its_room_is_appended) {
  writer out{path_, {.block = 4096}};
  while (out.tell() < 100'000) {
    const auto room = out.room();
    ASSERT_FALSE(room.empty());
    const auto bytes = test::bytes_from(out.tell(), std::min<std::size_t>(room.size(), 777));
    std::ranges::copy(std::as_bytes(std::span{bytes}), room.begin());
    out.advance(bytes.size());
  }
  const auto length = out.tell();
  out.close();
  expect_prefix(path_, length);
  EXPECT_THROW(static_cast<void>(out.room()), error);
}

TEST_F(writing, empty_writes_write_nothing) {
  writer out{path_};
  out.write(std::string_view{});
  out.write(std::span<const std::byte>{});
  out.write("");
  out.close();
  EXPECT_EQ(content_of(path_), "");
}

TEST_F(writing, truncates_by_default) {
  put_file(path_, "what was there, longer");
  writer out{path_};
  out.write("new");
  out.close();
  EXPECT_EQ(content_of(path_), "new");
}

TEST_F(writing, appends) {
  put_file(path_, "one,");
  for (const char* more : {"two,", "three"}) {
    writer out{path_, {.mode = open_mode::append}};
    EXPECT_NE(::fcntl(out.native_handle(), F_GETFL) & O_APPEND, 0);
    const auto before = out.tell();
    out.write(more);
    EXPECT_EQ(out.tell(), before + std::string_view{more}.size());
    out.flush();
    EXPECT_EQ(out.written_bytes(), out.tell());
    out.close();
  }
  EXPECT_EQ(content_of(path_), "one,two,three");
}

TEST_F(writing, appends_where_others_append_too) {
  writer out{path_, {.mode = open_mode::append}};
  out.write("1");
  out.flush();
  std::ofstream{path_, std::ios::app} << "2";
  out.write("3");
  out.close();
  EXPECT_EQ(content_of(path_), "123");
}

// Blocks end at multiples of their size in the file, wherever it ended before.
TEST_F(writing, appends_from_any_place_in_a_block) {
  for (const std::size_t before :
       {1U, 4095U, 65535U, 65536U, 65537U, 196607U, 200'000U, 262'143U, 262'144U, 300'000U}) {
    SCOPED_TRACE(before);
    put_file(path_, bytes_from(0, before));
    writer out{path_, {.block = 256 << 10, .mode = open_mode::append}};
    for (std::size_t i = 0; i < 400'000; ++i) out.put(test::byte_at(before + i));
    out.close();
    expect_prefix(path_, before + 400'000);
    std::filesystem::remove(path_);
  }
}

TEST_F(writing, creates_new_files_only_when_asked_to) {
  put_file(path_, "old");
  EXPECT_THAT(refusal({.mode = open_mode::create_new}, std::errc::file_exists), HasSubstr(path_.string()));
  EXPECT_EQ(content_of(path_), "old");
  std::filesystem::remove(path_);
  writer{path_, {.mode = open_mode::create_new}}.write("new");
  EXPECT_EQ(content_of(path_), "new");
}

TEST_F(writing, overwrites_and_cuts_at_close) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    put_file(path_, std::string(20'000'000, 'x'));
    auto options = each.options();
    options.mode = open_mode::overwrite;
    writer out{path_, options};
    out.write(bytes_from(0, 150'000));
    out.flush();
    EXPECT_EQ(std::filesystem::file_size(path_), 20'000'000U);
    out.write(bytes_from(150'000, 5));
    out.close();
    expect_prefix(path_, 150'005);
  }
}

TEST_F(writing, refuses_options_that_make_no_sense) {
  for (const std::size_t block : {1U, 2048U, 5000U, 65537U, 128U << 20})
    EXPECT_THAT(refusal({.block = block}, std::errc::invalid_argument), HasSubstr("power of two"));
  EXPECT_THAT(refusal({.depth = 65}, std::errc::invalid_argument), HasSubstr("depth"));
  EXPECT_THAT(refusal({.method = "nonsense"}, std::errc::invalid_argument),
              testing::AllOf(HasSubstr("'nonsense'"), HasSubstr("buffered, writebehind"), HasSubstr("uring-buffered")));
  EXPECT_THAT(refusal({.size_ahead = true}, std::errc::invalid_argument), HasSubstr("ordered = false"));
  EXPECT_THAT(refusal({.method = "mmap"}, std::errc::invalid_argument), HasSubstr("ordered = false"));
  for (const auto mode : {open_mode::append, open_mode::overwrite}) {
    EXPECT_THAT(refusal({.mode = mode, .atomic = true}, std::errc::invalid_argument), HasSubstr("atomic"));
    EXPECT_THAT(refusal({.mode = mode, .hidden_until_closed = true}, std::errc::invalid_argument), HasSubstr("hidden"));
  }
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
  for (const std::size_t block : {4096U, 64U << 20}) writer{path_, {.block = block, .depth = 64}}.write("x");
}

TEST_F(writing, says_why_a_method_is_not_available) {
  // procfs does not support direct I/O; writing a thread's name is harmless.
  path_ = "/proc/self/comm";
  EXPECT_THAT(refusal({.method = "direct"}, std::errc::operation_not_supported),
              testing::AllOf(HasSubstr("open '/proc/self/comm'"), HasSubstr("direct is not available here: ")));
}

TEST_F(writing, says_what_is_wrong_with_a_path) {
  path_ = directory_ / "missing/file";
  EXPECT_THAT(refusal({}, std::errc::no_such_file_or_directory), HasSubstr("No such file or directory"));
  refusal({.atomic = true}, std::errc::no_such_file_or_directory);
  path_ = directory_.path();
  refusal({}, std::errc::is_a_directory);
  refusal({.atomic = true}, std::errc::is_a_directory);
  put_file(directory_ / "plain", "");
  path_ = directory_ / "plain/file";
  refusal({}, std::errc::not_a_directory);
  path_ = directory_ / std::string(300, 'n');
  refusal({}, std::errc::filename_too_long);
}

TEST_F(writing, opens_with_an_error_code) {
  const writer none{directory_ / "missing/file", {}, failure_};
  EXPECT_EQ(failure_, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(none.is_open());
  const writer some{path_, {}, failure_};
  EXPECT_FALSE(failure_);
  EXPECT_TRUE(some.is_open());
}

TEST_F(writing, a_closed_writer_refuses) {
  writer out;
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(out.tell(), 0U);
  EXPECT_EQ(out.written_bytes(), 0U);
  EXPECT_EQ(out.durable_bytes(), 0U);
  EXPECT_EQ(out.native_handle(), no_native_handle);
  EXPECT_EQ(out.method(), "");
  EXPECT_FALSE(out.last_error());
  EXPECT_THROW(out.put('x'), error);
  EXPECT_THROW(out.write("x"), error);
  EXPECT_THROW(out.flush(), error);
  EXPECT_THROW(out.sync(), error);
  EXPECT_THROW(out.reserve(1), error);
  out.write("x", failure_);
  EXPECT_EQ(failure_, std::errc::bad_file_descriptor);
  EXPECT_NO_THROW(out.close());
}

TEST_F(writing, after_close_refuses_and_closes_again_in_silence) {
  writer out{path_};
  out.write("all");
  out.close();
  EXPECT_NO_THROW(out.close());
  EXPECT_EQ(out.method(), "");
  EXPECT_EQ(out.native_handle(), no_native_handle);
  EXPECT_EQ(out.written_bytes(), 3U);
  EXPECT_THROW(out.write("more"), error);
  EXPECT_THROW(out.put('m'), error);
  out.close(failure_);
  EXPECT_FALSE(failure_);
  EXPECT_EQ(content_of(path_), "all");
}

TEST_F(writing, a_moved_from_writer_is_closed) {
  writer first{path_};
  first.write("one ");
  writer second{std::move(first)};
  EXPECT_FALSE(first.is_open());
  EXPECT_EQ(first.tell(), 0U);
  EXPECT_THROW(first.write("lost"), error);
  EXPECT_NO_THROW(first.close());
  second.write("two ");
  writer third{directory_ / "other"};
  third.write("of its own");
  third = std::move(second);
  EXPECT_EQ(content_of(directory_ / "other"), "of its own");
  auto& same = third;
  third = std::move(same);
  third.write("three");
  third.close();
  EXPECT_EQ(content_of(path_), "one two three");
}

TEST_F(writing, the_destructor_writes_what_is_left) {
  writer{path_}.write("left");
  EXPECT_EQ(content_of(path_), "left");
}

TEST_F(writing, reserved_space_is_there_and_given_back) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    auto options = each.options();
    options.reserve = 4 << 20;
    writer out{path_, options};
    EXPECT_EQ(std::filesystem::file_size(path_), 0U);
    EXPECT_GE(allocated(path_), 4U << 20);
    out.reserve(1 << 20);
    out.reserve(6 << 20);
    EXPECT_GE(allocated(path_), 6U << 20);
    out.write(bytes_from(0, 200'123));
    out.close();
    out = {};
    expect_prefix(path_, 200'123);
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(::fsync(descriptor), 0);
    ::close(descriptor);
    EXPECT_LE(allocated(path_), 200'123U + (64 << 10));
  }
}

TEST_F(writing, reserving_too_much_is_reported_and_loses_nothing) {
  writer out{path_};
  out.write("kept");
  out.reserve(std::uint64_t{1} << 60, failure_);
  EXPECT_TRUE(failure_);
  EXPECT_FALSE(out.last_error());
  EXPECT_THROW(out.reserve(~std::uint64_t{0}), error);
  out.write(", all");
  out.close();
  EXPECT_EQ(content_of(path_), "kept, all");
  EXPECT_LE(allocated(path_), 64U << 10);
}

TEST_F(writing, large_writes_cross_blocks) {
  for (const std::size_t first : {0U, 1U, 5000U, 65536U}) {
    writer out{path_, {.block = 64 << 10}};
    out.write(bytes_from(0, first));
    out.write(bytes_from(first, 1'000'000));
    out.write(bytes_from(first + 1'000'000, 9));
    out.close();
    expect_prefix(path_, first + 1'000'009);
  }
}

TEST_F(writing, random_access_is_told_to_the_kernel) {
  fault_injection watch;
  const writer out{path_, {.access = access::random}};
  EXPECT_EQ(watch.count(detail::os::call::advise), 1U);
}

}  // namespace
}  // namespace freshet
