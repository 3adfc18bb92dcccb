// How bytes that are in the page cache reach the device behind the cursor.
#include "src/method/write_behind.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "tests/support/known_bytes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet::detail {
namespace {

constexpr std::uint64_t MiB = 1 << 20;

class write_behind_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::can_change(directory_.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
    file_ = os::file::open(directory_ / "file", {.read = true}, error_);
    write_all();
    static_cast<void>(file_.unwritten(0, length, error_));
    if (error_) GTEST_SKIP() << "the kernel does not tell what is written: " << error_.message();
  }
  void write_all() {
    const std::string bytes = test::bytes_from(0, length);
    EXPECT_EQ(file_.write_at(std::as_bytes(std::span{bytes}), 0, error_), length);
  }
  std::uint64_t cached_in(std::uint64_t offset, std::uint64_t bytes) {
    return file_.cached_in(offset, bytes, error_).cached * os::page_size();
  }
  void wait_until_idle(write_behind& pages) {
    while (pages.is_busy() && !error_) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      pages.watch(now_ += 0.001, error_);
    }
    EXPECT_FALSE(error_) << error_.message();
  }

  static constexpr std::uint64_t length = 32 * MiB;
  const test::temporary_directory directory_;
  os::file file_;
  std::error_code error_;
  double now_ = 0;
};

TEST_F(write_behind_test, gives_the_pages_behind_the_cursor_back) {
  write_behind pages{file_, 0, write_behind::when_full::go_on};
  while (pages.unwritten_before(length) > 0 && !error_) {
    pages.count(write_behind::range);
    if (pages.is_due()) pages.follow(length, now_, error_);
    wait_until_idle(pages);
  }
  EXPECT_EQ(cached_in(0, length), 0U);
  test::expect_prefix(directory_ / "file", length);
  EXPECT_GT(pages.take_device_seconds(), 0);
  EXPECT_EQ(pages.take_device_seconds(), 0) << "once";
}

TEST_F(write_behind_test, is_finished_once_the_device_has_everything) {
  write_behind pages{file_, 0, write_behind::when_full::go_on};
  EXPECT_TRUE(pages.finish(length, 60, error_));
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(file_.unwritten(0, length, error_), 0U);
  EXPECT_EQ(pages.unwritten_before(length), 0U);
}

}  // namespace
}  // namespace freshet::detail
