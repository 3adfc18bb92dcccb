// Tests the writer's promises on common file systems, which are made for the tests.
#include <freshet/writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::uint64_t MiB = 1 << 20;

class file_systems : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!mounted_.why_not().empty()) GTEST_SKIP() << GetParam() << ": " << mounted_.why_not();
  }

  // Calls `check` with every way of writing that works here, or with a sample of them: all take seconds on a file
  // system.
  template <typename Check>
  void for_ways(Check check) {
    for (const auto& each : test::sample(test::working(test::all_ways(), mounted_.path()), 5)) {
      SCOPED_TRACE(each);
      check(each);
      std::filesystem::remove(path_);
    }
  }

  // Leaves about `left` bytes free.
  void fill_up(std::uint64_t left) {
    const auto ballast = mounted_.path() / "ballast";
    const auto available = std::filesystem::space(mounted_.path()).available;
    ASSERT_GT(available, left);
    writer out{ballast, {.method = "buffered"}};
    const std::string piece(MiB, 'x');
    for (std::uint64_t written = 0; written + left < available; written += piece.size()) {
      std::error_code full;
      out.write(piece, full);
      if (full) break;
    }
    std::error_code full;
    out.sync(full);
    out.close(full);
  }

  test::temporary_directory directory_;
  test::mounted_image mounted_{directory_.path(), GetParam(), 400 * MiB};
  std::filesystem::path path_ = mounted_.path() / "file";
};

TEST_P(file_systems, content_and_length_are_exact_and_no_space_is_kept) {
  constexpr std::uint64_t length = 10 * MiB + 123;
  const auto bytes = test::bytes_from(0, length);
  for_ways([&](const test::way& each) {
    auto options = each.options(MiB);
    options.reserve = 64 * MiB;
    writer out{path_, options};
    for (std::size_t from = 0; from < length; from += 300'007) out.write(bytes, from, 300'007);
    out.close();
    test::expect_prefix(path_, length);
    // Blocks are counted only after delayed allocation.
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(::fsync(descriptor), 0);
    struct stat status {};
    EXPECT_EQ(::fstat(descriptor, &status), 0);
    ::close(descriptor);
    EXPECT_LE(static_cast<std::uint64_t>(status.st_blocks) * 512, length + 64 * 1024);
    EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, length);
  });
}

// Takes 3 s: each way of writing fills the file system.
TEST_P(file_systems, a_full_one_is_reported_with_a_readable_prefix) {
  fill_up(40 * MiB);
  const auto bytes = test::bytes_from(0, 100 * MiB);
  for_ways([&](const test::way& each) {
    std::error_code failure;
    writer out{path_, each.options(MiB)};
    out.write(bytes, failure);
    std::error_code at_close;
    out.close(at_close);
    EXPECT_EQ(at_close, std::errc::no_space_on_device) << at_close.message();
    EXPECT_TRUE(!failure || failure == at_close);
    EXPECT_LT(out.written_bytes(), bytes.size());
    test::expect_prefix(path_, out.written_bytes());
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_LE(static_cast<std::uint64_t>(status.st_blocks) * 512, out.written_bytes() + MiB);
  });
}

TEST_P(file_systems, what_does_not_fit_cannot_be_reserved) {
  for_ways([&](const test::way& each) {
    auto options = each.options();
    options.reserve = 1000 * MiB;
    std::error_code failure;
    const writer out{path_, options, failure};
    EXPECT_EQ(failure, std::errc::no_space_on_device) << failure.message();
    EXPECT_FALSE(out.is_open());
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_blocks, 0);
  });
}

// Some reserve more for a small file than it will take.
TEST_P(file_systems, takes_small_hidden_files_as_long_as_there_is_space) {
  const std::string content(10'000, 'x');
  const auto parent = mounted_.path() / "many";
  std::filesystem::create_directory(parent);
  for (int i = 0; i < 11'000; ++i) {
    std::error_code failure;
    writer out{parent / std::to_string(i), {.hidden_until_closed = true}, failure};
    if (!failure) out.write(content, failure);
    if (!failure) out.close(failure);
    ASSERT_FALSE(failure) << i << ": " << failure.message();
  }
}

TEST_P(file_systems, a_read_only_one_is_named) {
  ASSERT_TRUE(mounted_.make_read_only());
  for (const bool atomic : {false, true}) {
    try {
      const writer out{path_, {.atomic = atomic}};
      ADD_FAILURE() << "was opened";
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), std::errc::read_only_file_system);
      EXPECT_EQ(caught.path(), path_);
      EXPECT_THAT(caught.what(), testing::HasSubstr(path_.string()));
      EXPECT_THAT(caught.what(), testing::HasSubstr("Read-only file system"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, file_systems, testing::Values("ext4", "xfs", "btrfs", "tmpfs", "overlay"),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace freshet
