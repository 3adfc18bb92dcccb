// Loads of constant rate on a real file system.
#include "lab/sustain/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <freshet/error.hpp>

#include "lab/sustain/verdict.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class loads : public testing::Test {
 protected:
  load_result run(const load_plan& plan) {
    load_generator generator{directory_.path()};
    return generator.run(plan, [this](std::uint64_t, double) { ++shown_; });
  }

  test::temporary_directory directory_;
  unsigned shown_ = 0;
};

TEST_F(loads, write_at_their_rate) {
  const load_result load = run({.size = 64 << 10, .rate = 1'000'000, .seconds = 1});
  EXPECT_TRUE(load.failure.empty()) << load.failure;
  EXPECT_GE(load.seconds, 1);
  EXPECT_GT(load.bytes, 0U);
  EXPECT_LE(load.bytes, 1'100'000U) << "never ahead of its schedule by more than a piece";
  EXPECT_GT(load.waits.calls(), 0U);
  EXPECT_FALSE(load.samples.empty());
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

// As an editor or a compiler would, while it runs.
TEST_F(loads, do_not_count_what_other_programs_left_dirty) {
  const test::temporary_directory on_disk{test::disk_place()};
  const fs::path other = on_disk / "of another";
  std::ofstream{other} << std::string(64 << 20, 'x') << std::flush;
  std::error_code unknown;
  static_cast<void>(detail::os::file::open_existing(other, unknown).unwritten(0, fs::file_size(other), unknown));
  if (unknown) GTEST_SKIP() << "what is dirty of a file cannot be seen: " << unknown.message();
  load_generator generator{on_disk.path()};
  const load_result load =
      generator.run({.size = 64 << 10, .rate = 1'000'000, .seconds = 1}, [](std::uint64_t, double) {});
  ASSERT_FALSE(load.samples.empty());
  for (const load_sample& each : load.samples) EXPECT_LE(each.dirty, each.bytes + (64 << 10)) << "after " << each.at;
}

TEST_F(loads, are_shared_by_their_writers) {
  const load_result load = run({.size = 64 << 10, .writers = 3, .rate = 1'000'000, .seconds = 1});
  EXPECT_GT(load.bytes, 0U);
  EXPECT_LE(load.bytes, 1'200'000U);
}

TEST_F(loads, without_a_rate_go_as_fast_as_they_can) {
  const load_result load = run({.size = 1 << 20, .seconds = 0.2});
  EXPECT_GT(load.bytes, 0U);
  EXPECT_EQ(load.worst.seconds, 0);
}

TEST_F(loads, end_at_their_limit_of_bytes) {
  const load_result load = run({.size = 1 << 20, .seconds = 60, .max_bytes = 3 << 20});
  EXPECT_LE(load.bytes, 3U << 20);
  EXPECT_GT(load.bytes, 2U << 20);
}

// Many times what the file system holds.
TEST_F(loads, replace_their_files_before_the_file_system_is_full) {
  const test::mounted_image small{directory_.path(), "tmpfs", 64 << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  load_generator generator{small.path()};
  const load_result load = generator.run({.size = 4 << 20, .writers = 2, .seconds = 600, .max_bytes = 256 << 20},
                                         [](std::uint64_t, double) {});
  EXPECT_TRUE(load.failure.empty()) << load.failure;
  EXPECT_GT(load.bytes, 250U << 20);
  EXPECT_GT(fs::space(small.path()).available, 60U << 20) << "all are removed at the end";
}

TEST_F(loads, are_refused_where_they_do_not_fit) {
  try {
    static_cast<void>(run({.size = std::uint64_t{1} << 60, .seconds = 1}));
    ADD_FAILURE() << "it wrote";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), std::errc::no_space_on_device);
    EXPECT_THAT(refused.what(), HasSubstr("a tenth of the file system stays free"));
  }
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

}  // namespace
}  // namespace freshet::tool
