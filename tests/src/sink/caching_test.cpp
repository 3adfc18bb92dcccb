// How much of a file the page cache holds, as freshet::caching has it.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using testing::HasSubstr;

constexpr std::uint64_t MiB = 1 << 20;
constexpr std::uint64_t bound = 64 * MiB;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class cached_bytes_of_files : public testing::Test {
 protected:
  void SetUp() override {
    std::error_code error;
    if (detail::os::is_in_memory(detail::os::file::open_existing(directory_.path().native(), error)))
      GTEST_SKIP() << "files here are never anywhere but in memory";
  }

  // Bytes of the file that the page cache holds.
  [[nodiscard]] static std::uint64_t cached(const detail::os::file& file) {
    std::error_code error;
    const auto residency = file.cached(error);
    EXPECT_FALSE(error) << error.message();
    return residency.cached * detail::os::page_size();
  }
  [[nodiscard]] std::uint64_t cached() const {
    std::error_code error;
    const auto file = detail::os::file::open_existing(path_.native(), error);
    EXPECT_FALSE(error) << error.message();
    return cached(file);
  }
  [[nodiscard]] static std::uint64_t cached(int descriptor) {
    return cached(detail::os::file::wrap(descriptor, false));
  }

  // Writes `length` bytes in pieces of changing size, and looks at the page cache after each; returns the most it held.
  template <typename Writer>
  static std::uint64_t write(Writer& out, std::uint64_t length, std::size_t largest_piece) {
    const std::string bytes = bytes_from(0, largest_piece);
    std::uint64_t most = 0;
    std::uint64_t looked = 0;
    for (std::uint64_t written = 0; written < length;) {
      const std::size_t piece = std::min<std::uint64_t>(length - written, 1 + (written * 7919) % largest_piece);
      out.write(std::string_view{bytes}.substr(0, piece));
      written += piece;
      if (written - looked < MiB) continue;
      looked = written;
      most = std::max(most, cached(out.native_handle()));
    }
    return most;
  }

  void make_file(std::uint64_t length, caching how) {
    writer out{path_, {.caching = how}};
    const std::string bytes = bytes_from(0, MiB);
    for (std::uint64_t written = 0; written < length; written += MiB) out.write(bytes);
    out.close();
  }

  [[nodiscard]] bool may_bypass() const { return test::why_not("direct", directory_.path()).empty(); }

  test::temporary_directory directory_{test::disk_place()};
  std::filesystem::path path_ = directory_ / "file";
  std::uint64_t size_ = test::is_complete() ? 1024 * MiB : 256 * MiB;
};

TEST_F(cached_bytes_of_files, drop_bounds_them_while_a_file_is_written_and_afterwards) {
  for (const std::size_t piece : {std::size_t{3000}, std::size_t{700'000}, std::size_t{96} << 20}) {
    SCOPED_TRACE(piece);
    writer out{path_, {.caching = caching::drop}};
    EXPECT_LE(write(out, size_, piece), bound);
    EXPECT_EQ(out.method(), "writebehind");
    out.close();
    EXPECT_LE(cached(), bound);
    EXPECT_EQ(std::filesystem::file_size(path_), size_);
  }
}

TEST_F(cached_bytes_of_files, drop_bounds_them_where_the_kernel_does_not_drop_pages_itself) {
  for (const auto why : {std::errc::operation_not_supported, std::errc::io_error}) {
    test::fault_injection faults;
    faults.fail_always(call::write_dontcache, why);
    writer out{path_, {.caching = caching::drop}};
    if (why == std::errc::io_error) {
      EXPECT_THROW(write(out, MiB * 2, 3000), error) << "only what is not supported is done without";
      continue;
    }
    EXPECT_LE(write(out, 200 * MiB, 300'000), bound);
    out.close();
    EXPECT_EQ(faults.count(call::write_dontcache), 1U);
    EXPECT_LE(cached(), bound);
    EXPECT_EQ(std::filesystem::file_size(path_), 200 * MiB);
  }
}

TEST_F(cached_bytes_of_files, drop_bounds_them_with_blocks_of_every_size) {
  for (const std::size_t block : {std::size_t{4096}, std::size_t{64} << 20}) {
    SCOPED_TRACE(block);
    writer out{path_, {.block = block, .caching = caching::drop}};
    EXPECT_LE(write(out, 200 * MiB, 100'000), bound);
    out.close();
    EXPECT_LE(cached(), bound);
  }
}

TEST_F(cached_bytes_of_files, drop_bounds_them_where_each_piece_is_flushed) {
  writer out{path_, {.caching = caching::drop}};
  const std::string bytes = bytes_from(0, 50'000);
  std::uint64_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    out.write(bytes);
    out.flush();
    if (i % 50 == 0) most = std::max(most, cached(out.native_handle()));
  }
  out.close();
  EXPECT_LE(most, bound);
  EXPECT_LE(cached(), bound);
}

TEST_F(cached_bytes_of_files, drop_bounds_them_for_appends) {
  make_file(9 * MiB, caching::keep);
  writer out{path_, {.caching = caching::drop, .mode = open_mode::append}};
  out.write("unaligned");
  EXPECT_LE(write(out, 200 * MiB, 300'000), bound);
  out.close();
  EXPECT_LE(cached(), bound);
  EXPECT_EQ(std::filesystem::file_size(path_), 209 * MiB + 9);
}

TEST_F(cached_bytes_of_files, drop_bounds_them_for_two_programs_that_append) {
  writer one{path_, {.caching = caching::drop, .mode = open_mode::append}};
  writer other{path_, {.caching = caching::drop, .mode = open_mode::append}};
  const std::string bytes = bytes_from(0, MiB);
  std::uint64_t most = 0;
  for (int i = 0; i < 100; ++i) {
    one.write(bytes);
    other.write(bytes);
    most = std::max(most, cached(one.native_handle()));
  }
  one.close();
  other.close();
  EXPECT_LE(most, bound);
  EXPECT_EQ(std::filesystem::file_size(path_), 200 * MiB);
}

TEST_F(cached_bytes_of_files, drop_bounds_them_for_descriptors) {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  writer out = writer::on_descriptor(descriptor, ownership::take, {.caching = caching::drop});
  EXPECT_LE(write(out, 200 * MiB, 300'000), bound);
  out.close();
  EXPECT_LE(cached(), bound);
}

TEST_F(cached_bytes_of_files, drop_bounds_them_where_a_stream_seeks) {
  ofstream out{path_, {.caching = caching::drop}};
  const std::string bytes = bytes_from(0, MiB);
  std::uint64_t most = 0;
  for (int i = 0; i < 40; ++i) {
    for (int piece = 0; piece < 6; ++piece) out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    most = std::max(most, cached(out.rdbuf()->native_handle()));
    out.seekp((i * 37 % 40) * 6 * std::streamoff{MiB} + i);
  }
  ASSERT_TRUE(out.good());
  out.close();
  EXPECT_LE(most, bound);
  EXPECT_LE(cached(), bound);
}

TEST_F(cached_bytes_of_files, drop_writes_what_was_to_be_written) {
  for (const open_mode mode : {open_mode::truncate, open_mode::overwrite}) {
    writer out{path_, {.caching = caching::drop, .mode = mode}};
    for (std::uint64_t from = 0; from < 40 * MiB; from += 54321)
      out.write(bytes_from(from, std::min<std::uint64_t>(54321, 40 * MiB - from)));
    out.close();
    test::expect_prefix(path_, 40 * MiB);
  }
}

TEST_F(cached_bytes_of_files, keep_keeps_all) {
  make_file(48 * MiB, caching::keep);
  EXPECT_EQ(cached(), 48 * MiB);
  reader in{path_, {.caching = caching::keep}};
  in.skip(48 * MiB);
  EXPECT_EQ(in.method(), "buffered");
  in.close();
  EXPECT_EQ(cached(), 48 * MiB);
}

TEST_F(cached_bytes_of_files, bypass_leaves_none_but_unaligned_ends) {
  if (!may_bypass()) GTEST_SKIP() << test::why_not("direct", directory_.path());
  for (const std::uint64_t length : {100 * MiB, 100 * MiB + 5, 3 * MiB + 777, 5000 * std::uint64_t{1}}) {
    SCOPED_TRACE(length);
    writer out{path_, {.caching = caching::bypass}};
    EXPECT_TRUE(detail::find_method(out.method())->direct) << out.method();
    for (std::uint64_t from = 0; from < length; from += MiB)
      out.write(bytes_from(from, std::min<std::uint64_t>(MiB, length - from)));
    out.close();
    EXPECT_LE(cached(), 2 * detail::os::page_size());
    reader in{path_, {.caching = caching::bypass}};
    EXPECT_TRUE(detail::find_method(in.method())->direct) << in.method();
    EXPECT_EQ(test::first_difference(text(in.view(length))), length);
    EXPECT_TRUE(in.view(1).empty());
    in.close();
    EXPECT_LE(cached(), 4 * detail::os::page_size());
  }
}

TEST_F(cached_bytes_of_files, bypass_is_refused_for_pipes) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  const int other_end = ::open((directory_ / "pipe").c_str(), O_RDWR | O_CLOEXEC);
  const auto refusal = [](auto open) {
    try {
      open();
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), std::errc::operation_not_supported);
      return std::string{caught.what()};
    }
    return std::string{"it was not refused"};
  };
  EXPECT_THAT(refusal([&] { writer{directory_ / "pipe", {.caching = caching::bypass}}; }), HasSubstr("regular"));
  EXPECT_THAT(refusal([&] { reader{directory_ / "pipe", {.caching = caching::bypass}}; }), HasSubstr("regular"));
  ::close(other_end);
}

TEST_F(cached_bytes_of_files, bypass_is_refused_with_the_reason_where_there_is_no_direct_io) {
  const test::mounted_image mounted{directory_.path(), "ramfs", 16 * MiB};
  if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  const auto path = mounted.path() / "file";
  std::ofstream{path} << "before";
  try {
    writer{path, {.caching = caching::bypass}};
    FAIL() << "it was not refused";
  } catch (const error& caught) {
    EXPECT_EQ(caught.code(), std::errc::operation_not_supported);
    EXPECT_THAT(caught.what(), testing::AllOf(HasSubstr(path.native()), HasSubstr("cannot bypass the page cache")));
  }
  EXPECT_EQ(test::content_of(path), "before");
  EXPECT_THROW((reader{path, {.caching = caching::bypass}}), error);
}

// O_DSYNC makes every write of the descriptor durable, also those of queues and with RWF_DONTCACHE (open(2)).
TEST_F(cached_bytes_of_files, each_write_writes_through_with_every_kind_of_caching) {
  for (const caching each : {caching::automatic, caching::keep, caching::drop, caching::bypass}) {
    if (each == caching::bypass && !may_bypass()) continue;
    writer out{path_, {.block = 64 << 10, .durability = durability::each_write, .caching = each}};
    EXPECT_NE(::fcntl(out.native_handle(), F_GETFL) & O_DSYNC, 0);
    out.write(bytes_from(0, 300'000));
    out.flush();
    EXPECT_EQ(out.durable_bytes(), 300'000U);
    out.close();
    test::expect_prefix(path_, 300'000);
  }
}

class dropping_readers : public cached_bytes_of_files {
 protected:
  // Drops the file from the page cache.
  void forget(std::uint64_t from = 0, std::uint64_t length = 0) const {
    std::error_code error;
    auto file = detail::os::file::open_existing(path_.native(), error);
    file.sync_data(error);
    file.advise(detail::os::advice::dont_need, from, length, error);
    ASSERT_FALSE(error) << error.message();
  }
  void remember(std::uint64_t from, std::uint64_t length) const {
    std::ifstream in{path_, std::ios_base::binary};
    in.seekg(static_cast<std::streamoff>(from));
    std::string bytes(length, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(length));
  }
};

TEST_F(dropping_readers, bound_what_the_page_cache_holds) {
  make_file(size_, caching::drop);
  forget();
  ASSERT_EQ(cached(), 0U);
  for (const std::size_t block : {std::size_t{0}, std::size_t{4096}, std::size_t{64} << 20}) {
    SCOPED_TRACE(block);
    reader in{path_, {.block = block, .caching = caching::drop}};
    std::uint64_t most = 0;
    for (std::uint64_t read = 0; read < size_; read += MiB) {
      ASSERT_EQ(test::first_difference(text(in.view(MiB))), MiB);
      if (read % (4 * MiB) == 0) most = std::max(most, cached(in.native_handle()));
    }
    EXPECT_LE(most, bound);
    EXPECT_GT(most, 0U);
    EXPECT_TRUE(in.view(1).empty());
    in.close();
    EXPECT_LE(cached(), MiB) << "what is left would grow with the file";
  }
}

// They take turns, so that each may find what the other one has just read: the bound is that of each.
TEST_F(dropping_readers, bound_it_where_two_read_the_same_file) {
  make_file(200 * MiB, caching::drop);
  forget();
  for (const std::uint64_t distance : {0UL, 8UL, 64UL}) {
    reader first{path_, {.caching = caching::drop}};
    reader second{path_, {.caching = caching::drop}};
    first.view(distance * MiB);
    for (std::uint64_t read = distance; read < 200; ++read) {
      first.view(MiB);
      second.view(MiB);
    }
    EXPECT_LE(cached(first.native_handle()), 2 * bound) << distance;
    first.close();
    second.close();
    EXPECT_LE(cached(), 2 * bound) << distance;
  }
}

TEST_F(dropping_readers, bound_it_where_the_program_reads_into_its_own_memory_and_where_it_jumps) {
  make_file(200 * MiB, caching::drop);
  forget();
  std::vector<std::byte> memory(96 * MiB);
  reader in{path_, {.caching = caching::drop}};
  EXPECT_EQ(in.read(memory), memory.size());
  EXPECT_LE(cached(in.native_handle()), bound);
  for (std::uint64_t i = 0; i < 200; ++i) {
    in.seek(i * 61 % 200 * MiB);
    EXPECT_EQ(test::first_difference(text(in.view(MiB))), MiB);
  }
  EXPECT_LE(cached(in.native_handle()), bound);
  in.close();
  EXPECT_LE(cached(), bound);
}

TEST_F(dropping_readers, leave_what_was_in_the_page_cache_before) {
  make_file(64 * MiB, caching::drop);
  forget();
  remember(16 * MiB, 16 * MiB);
  const std::uint64_t before = cached();
  ASSERT_GE(before, 16 * MiB);
  reader in{path_, {.caching = caching::drop}};
  in.view(64 * MiB);
  in.close();
  EXPECT_GE(cached(), 16 * MiB);
  EXPECT_LE(cached(), before + 8 * MiB);
}

TEST_F(dropping_readers, read_pipes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::write(ends[1], "bytes", 5), 5);
  ::close(ends[1]);
  reader in = reader::on_descriptor(ends[0], ownership::take, {.caching = caching::drop});
  EXPECT_EQ(text(in.view(9)), "bytes");
}

TEST_F(cached_bytes_of_files, access_once_tells_the_kernel_when_the_file_is_opened) {
  std::ofstream{path_} << "content";
  test::fault_injection watch;
  reader in{path_, {.access = access::once}};
  EXPECT_EQ(watch.count(call::advise), 1U);
  EXPECT_EQ(text(in.view(9)), "content");
  writer out{path_, {.access = access::once}};
  EXPECT_EQ(watch.count(call::advise), 2U);
  out.write("other");
  out.close();
  EXPECT_EQ(test::content_of(path_), "other");
}

}  // namespace
}  // namespace freshet
