#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "src/os/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using disposition = open_request::disposition;
using test::fault_injection;

// How much of a file the page cache holds, and how to evict it.
class os_residency : public testing::Test {
 protected:
  file make_with(std::string_view name, std::string_view text) {
    file opened = file::open(directory_ / name, {.creation = disposition::truncate, .read = true}, error_);
    EXPECT_FALSE(error_) << error_.message();
    EXPECT_EQ(opened.write_at(std::as_bytes(std::span{text}), 0, error_), text.size());
    return opened;
  }
  // A file system in memory has no block device.
  bool is_in_memory() {
    const std::string type = file_system_of(directory_.path(), error_).type;
    return type == "tmpfs" || type == "ramfs";
  }

  test::temporary_directory directory_;
  std::error_code error_;
};

TEST_F(os_residency, syncs_and_evicts) {
  const std::size_t length = 64 * page_size();
  file target = make_with("f", std::string(length, 'x'));
  EXPECT_EQ(target.cached(error_).cached, 64U);
  target.start_writeback(0, length, error_);
  EXPECT_FALSE(error_);
  target.wait_writeback(0, length, error_);
  EXPECT_FALSE(error_);
  target.sync_data(error_);
  EXPECT_FALSE(error_);
  target.sync(error_);
  EXPECT_FALSE(error_);
  for (const advice each : {advice::sequential, advice::random, advice::will_need, advice::dont_need}) {
    target.advise(each, 0, 0, error_);
    EXPECT_FALSE(error_);
  }
  if (is_in_memory()) GTEST_SKIP() << "nothing can be evicted from a file system in memory";
  const residency after = target.cached(error_);
  EXPECT_EQ(after.pages, 64U);
  EXPECT_EQ(after.cached, 0U);
  EXPECT_EQ(after.dirty, 0U);
}

TEST_F(os_residency, mincore_stands_in_for_cachestat) {
  file target = make_with("f", std::string(10 * page_size() + 1, 'x'));
  // Both count pages that were read; mincore omits some pages that were just written, in half-filled large folios.
  target.sync_data(error_);
  target.advise(advice::dont_need, 0, 0, error_);
  std::string text(10 * page_size() + 1, '\0');
  EXPECT_EQ(target.read_at(std::as_writable_bytes(std::span{text}), 0, error_), text.size());
  const residency modern = target.cached(error_);
  ASSERT_FALSE(error_);
  fault_injection faults;
  faults.fail(call::status, 2, std::errc::function_not_supported);
  const residency old = target.cached(error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(faults.count(call::status), 3U);
  EXPECT_EQ(old.pages, 11U);
  EXPECT_EQ(old.cached, modern.cached);
}

// mincore tells users who may not know that everything is in memory.
TEST_F(os_residency, what_is_cached_of_others_files_is_not_told) {
  if (::geteuid() != 0) GTEST_SKIP() << "every file here is one's own";
  make_with("f", std::string(10 * page_size(), 'x'));
  const file target =
      file::open(directory_ / "f", {.creation = disposition::existing, .read = true, .write = false}, error_);
  const test::ordinary_user stranger;
  fault_injection faults;
  faults.fail(call::status, 2, std::errc::function_not_supported);
  EXPECT_EQ(target.cached(error_).cached, 0U);
  EXPECT_EQ(error_, std::errc::operation_not_permitted);
}

TEST_F(os_residency, an_empty_file_has_no_pages) {
  const residency cached_pages = make_with("f", "").cached(error_);
  EXPECT_FALSE(error_);
  EXPECT_EQ(cached_pages.pages, 0U);
  EXPECT_EQ(cached_pages.cached, 0U);
}

// There the pages belong to the file of the upper layer, which the kernel's calls do not reach.
TEST_F(os_residency, is_that_of_the_upper_layer_on_overlayfs) {
  constexpr std::uint64_t MiB = 1 << 20;
  const test::mounted_image mounted{directory_.path(), "overlay", 64 * MiB};
  if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  file target = file::open(mounted.path() / "f", {.read = true}, error_);
  ASSERT_FALSE(error_) << error_.message();
  const std::string text(MiB, 'x');
  EXPECT_EQ(target.write_at(std::as_bytes(std::span{text}), 0, error_), text.size());
  EXPECT_TRUE(is_overlay(target));
  EXPECT_EQ(target.cached(error_).cached, MiB / page_size());
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(target.unwritten(0, MiB, error_), 0U);
  EXPECT_EQ(error_, std::errc::function_not_supported);
  const file upper = file::open_existing(directory_ / "layers" / "mounted" / "upper" / "f", error_);
  EXPECT_FALSE(is_overlay(upper));
  static_cast<void>(upper.unwritten(0, MiB, error_));
  if (error_) GTEST_SKIP() << "the kernel does not tell what is written";
  EXPECT_EQ(upper.unwritten(0, MiB, error_), MiB);
  target.start_writeback(0, MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  for (int i = 0; i < 10'000 && upper.unwritten(0, MiB, error_) > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  EXPECT_EQ(upper.unwritten(0, MiB, error_), 0U);
  EXPECT_EQ(target.write_at(std::as_bytes(std::span{text}), 0, error_), text.size());
  target.wait_writeback(0, MiB, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(upper.unwritten(0, MiB, error_), 0U);
  target.advise(advice::dont_need, 0, 0, error_);
  EXPECT_EQ(target.cached(error_).cached, 0U);
}

}  // namespace
}  // namespace freshet::detail::os
