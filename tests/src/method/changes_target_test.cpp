// Which files may change their method while they are written: new regular files, of all kinds. Here every file that may
// change does so after each block.
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <string>

#include "tests/support/forced_changes.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t length = 2 * KiB * KiB + 777;

class changing : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::can_change(directory_.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
  }

  static void write(writer& out) {
    const std::uint64_t begin = out.tell();
    while (out.tell() < begin + length)
      out.write(test::bytes_from(out.tell(), std::min<std::size_t>(100'001, begin + length - out.tell())));
  }

  // Writes to `out` and expects that it changes, or that it stays with the page cache.
  static void expect_changes(writer out, bool wanted) {
    write(out);
    out.flush();
    EXPECT_EQ(out.statistics().all_changes > 3, wanted) << describe(out.statistics());
    if (!wanted) {
      EXPECT_EQ(out.statistics().all_changes, 0U);
      EXPECT_EQ(out.method(), "buffered");
    }
    out.close();
  }

  [[nodiscard]] std::uint64_t allocated() const {
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_{.block = 64 * KiB};
  test::forced_changes force_{test::at_each_block};
};

TEST_F(changing, new_files_do_and_are_exact) {
  expect_changes(writer{path_, options_}, true);
  test::expect_prefix(path_, length);
}

TEST_F(changing, files_of_a_named_method_do_not) {
  options_.method = "buffered";
  expect_changes(writer{path_, options_}, false);
  test::expect_prefix(path_, length);
}

TEST_F(changing, hidden_and_atomic_files_do) {
  for (const bool atomic : {false, true}) {
    options_.atomic = atomic;
    options_.hidden_until_closed = !atomic;
    expect_changes(writer{path_, options_}, true);
    test::expect_prefix(path_, length);
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  }
}

TEST_F(changing, hidden_and_atomic_files_that_are_given_up_leave_what_was_there) {
  for (const bool atomic : {false, true}) {
    std::ofstream{path_} << "old";
    options_.atomic = atomic;
    options_.hidden_until_closed = !atomic;
    {
      writer out{path_, options_};
      write(out);
    }
    EXPECT_EQ(test::content_of(path_), "old");
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  }
}

TEST_F(changing, reserved_files_do_and_keep_no_space) {
  options_.reserve = 16 * length;
  options_.durability = durability::at_close;  // blocks are counted only after delayed allocation
  expect_changes(writer{path_, options_}, true);
  test::expect_prefix(path_, length);
  EXPECT_LE(allocated(), length + 64 * KiB);
}

TEST_F(changing, overwritten_files_do_and_end_with_what_was_written) {
  std::ofstream{path_} << std::string(2 * length, 'x');
  options_.mode = open_mode::overwrite;
  expect_changes(writer{path_, options_}, true);
  test::expect_prefix(path_, length);
}

TEST_F(changing, appended_files_do_not) {
  std::ofstream{path_} << test::bytes_from(0, 1001);
  options_.mode = open_mode::append;
  expect_changes(writer{path_, options_}, false);
  test::expect_prefix(path_, 1001 + length);
}

TEST_F(changing, descriptors_do_not) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  expect_changes(writer::on_descriptor(descriptor, ownership::take, options_), false);
  test::expect_prefix(path_, length);
}

TEST_F(changing, pipes_do_not) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  auto reader =
      std::async(std::launch::async, [&] { return test::all_from(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)); });
  expect_changes(writer{path_, options_}, false);
  const std::string read = reader.get();
  EXPECT_EQ(read.size(), length);
  EXPECT_EQ(test::first_difference(read), read.size());
}

TEST_F(changing, devices_do_not) { expect_changes(writer{"/dev/null", options_}, false); }

TEST_F(changing, files_that_are_read_and_written_do_not) {
  const std::string bytes = test::bytes_from(0, length);
  fstream both{path_, std::ios::in | std::ios::out | std::ios::trunc};
  both << bytes << std::flush;
  EXPECT_EQ(both.method(), "buffered");
  std::string back(bytes.size(), '\0');
  both.seekg(0);
  both.read(back.data(), static_cast<std::streamsize>(back.size()));
  EXPECT_EQ(back, bytes);
}

TEST_F(changing, files_do_not_after_a_seek) {
  ofstream out{path_, options_};
  const std::string bytes = test::bytes_from(0, length);
  out.write(bytes.data(), 1'000'000).seekp(10);
  out.write(bytes.data() + 10, static_cast<std::streamsize>(length - 10)).flush();
  EXPECT_EQ(out.method(), "buffered");
  out.close();
  test::expect_prefix(path_, length);
}

// The last write before the seek went past the page cache, which takes only whole pages.
TEST_F(changing, files_take_any_bytes_after_a_seek) {
  for (const std::string_view method :
       test::working(std::vector<std::string_view>{"adaptive", "direct", "libaio", "uring"}, directory_.path())) {
    SCOPED_TRACE(method);
    options_.method = method == "adaptive" ? "auto" : method;
    ofstream out{path_, options_};
    const std::string bytes = test::bytes_from(0, 512 * KiB);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    out.seekp(10);
    out << std::string_view{bytes}.substr(10, 5);
    out.close();
    EXPECT_TRUE(out.good());
    test::expect_prefix(path_, bytes.size());
  }
}

TEST_F(changing, files_do_not_where_they_are_in_memory_only) {
  for (const char* type : {"ramfs", "tmpfs"}) {
    const test::temporary_directory below;
    const test::mounted_image mounted{below.path(), type, 16 * length};
    if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
    const auto file = mounted.path() / "file";
    expect_changes(writer{file, options_}, false);
    test::expect_prefix(file, length);
  }
}

TEST_F(changing, files_report_a_full_disk_and_keep_a_prefix) {
  for (const char* type : {"ext4", "tmpfs"}) {
    const test::temporary_directory below{test::disk_place()};
    const test::mounted_image mounted{below.path(), type, 24 * KiB * KiB};
    if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
    const auto file = mounted.path() / "file";
    writer out{file, options_};
    std::error_code error;
    while (!error && out.tell() < 48 * KiB * KiB) out.write(test::bytes_from(out.tell(), 100'001), error);
    EXPECT_EQ(error, std::errc::no_space_on_device) << type;
    std::error_code again;
    out.close(again);
    EXPECT_EQ(again, std::errc::no_space_on_device) << "the first error sticks";
    EXPECT_GT(std::filesystem::file_size(file), KiB * KiB) << type;
    test::expect_prefix(file, std::filesystem::file_size(file));
  }
}

}  // namespace
}  // namespace freshet
