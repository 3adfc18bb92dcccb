// Many open files share a limited amount of memory; a file that writes much still has large blocks.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/pool.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::pool;
using detail::os::call;

constexpr std::size_t mib = std::size_t{1} << 20;

class many_files : public testing::Test {
 protected:
  // Opens more files until there are `wanted`, or as many as the limit of descriptors allows.
  void open(std::size_t wanted) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto count = std::min<std::size_t>(wanted, limit.rlim_cur - 100);
    while (files_.size() < count) files_.emplace_back(directory_ / std::to_string(files_.size()));
  }
  void write_to_all(std::size_t length) {
    const std::string piece(length, 'x');
    for (auto& each : files_) each.write(piece);
  }

  test::temporary_directory directory_;
  std::vector<writer> files_;
};

TEST_F(many_files, have_blocks_of_8_KiB_each_when_they_are_opened) {
  open(100);
  EXPECT_EQ(pool::in_use(), files_.size() * 8192);
}

TEST_F(many_files, share_a_bounded_sum_of_memory_and_lose_nothing) {
  open(5000);
  for (int i = 0; i < 25; ++i) write_to_all(1000);
  EXPECT_LE(pool::in_use(), std::max(files_.size() * 8192, 64 * mib));
  for (auto& each : files_) each.close();
  for (const auto i : {std::size_t{0}, files_.size() / 2, files_.size() - 1})
    EXPECT_EQ(test::content_of(directory_ / std::to_string(i)), std::string(25'000, 'x'));
}

TEST_F(many_files, give_back_memory_when_more_are_opened) {
  open(20);
  for (int i = 0; i < 40; ++i) write_to_all(32'768);
  EXPECT_GE(pool::in_use(), files_.size() * 128 * 1024) << "there is room for large blocks";
  open(4000);
  for (int i = 0; i < 3; ++i) write_to_all(32'768);
  EXPECT_LE(pool::in_use(), files_.size() * 2 * 8192);
  files_.front().close();
  EXPECT_EQ(test::content_of(directory_ / "0"), std::string(43 * 32'768, 'x'));
}

TEST_F(many_files, do_not_hinder_one_that_writes_much) {
  open(5000);
  const test::temporary_directory beside;
  writer large{beside / "large"};
  const std::string piece(mib / 16, 'x');
  for (int i = 0; i < 64 * 16; ++i) large.write(piece);
  test::fault_injection watch;
  for (int i = 0; i < 16 * 16; ++i) large.write(piece.substr(0, 60'000));
  EXPECT_LE(watch.count(call::write_at), 16 * 16 * 60'000 / (256 * 1024) + 2) << "blocks of 256 KiB";
  large.close();
}

}  // namespace
}  // namespace freshet
