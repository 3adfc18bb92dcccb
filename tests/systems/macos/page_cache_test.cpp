// Past the page cache of macOS, and what it holds.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/systems/macos/seam.hpp"

namespace freshet::detail::os {
namespace {

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

}  // namespace
}  // namespace freshet::detail::os
