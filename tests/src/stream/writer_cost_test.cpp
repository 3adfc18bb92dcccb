// Tests how many system calls and how much memory writing takes, and when bytes count as written and durable.
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "src/base/pool.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using test::expect_prefix;
using test::fault_injection;

constexpr std::size_t MiB = 1 << 20;

class writing_costs : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(writing_costs, nothing_until_a_block_is_full) {
  writer out{path_, {.block = 64 << 10}};
  fault_injection watch;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < (64 << 10); ++i) {
    if (i % 2 == 0)
      out.put('x');
    else
      out.write("y");
    sum += out.tell() + out.size() + out.written_bytes() + out.durable_bytes();
  }
  EXPECT_GT(sum, 0U);
  EXPECT_EQ(watch.count_all(), 0U);
  out.put('z');
  EXPECT_EQ(watch.count(call::status), 1U);
  EXPECT_EQ(watch.count(call::write_at), 1U);
  EXPECT_EQ(watch.count_all(), 2U);
}

TEST_F(writing_costs, a_small_file_costs_open_write_and_close) {
  writer{path_}.write("finds out what is kept for the next one");
  constexpr std::uint64_t files = 10'000;
  fault_injection watch;
  for (std::uint64_t i = 0; i < files; ++i) {
    writer out{directory_ / std::to_string(i)};
    out.write(bytes_from(0, 4096));
    out.close();
  }
  EXPECT_EQ(watch.count(call::open), files);
  EXPECT_EQ(watch.count(call::write), files);
  EXPECT_EQ(watch.count(call::close), files);
  EXPECT_EQ(watch.count_all(), 3 * files);
  expect_prefix(directory_ / "9999", 4096);
}

TEST_F(writing_costs, a_large_file_goes_past_the_cache_though_it_fills_no_block) {
  if (const auto reason = test::why_not("direct", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  for (const auto& each : test::working(test::direct_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    // A small one does not, where waiting for the device would take longer than copying.
    for (const std::size_t length : {MiB / 4, 12 * MiB}) {
      writer out{path_, each.options(16 * MiB)};
      out.write(bytes_from(0, length));
      fault_injection watch;
      out.close();
      EXPECT_EQ(watch.count(call::set_direct) > 0, length == 12 * MiB);
      expect_prefix(path_, length);
    }
  }
}

// Through the user's blocks it would take as many writes as these.
TEST_F(writing_costs, large_writes_go_without_a_copy) {
  constexpr std::size_t block = 64 << 10;
  writer out{path_, {.method = "buffered", .block = block}};
  const auto bytes = bytes_from(0, 8 * MiB + 5);
  fault_injection watch;
  out.write(bytes);
  EXPECT_LT(watch.count(call::write_at), 8 * MiB / block);
  EXPECT_GE(out.written_bytes() + block, bytes.size()) << "nothing but the end waits in a block";
  out.close();
  expect_prefix(path_, bytes.size());
}

TEST_F(writing_costs, large_aligned_writes_go_past_the_cache_without_a_copy) {
  if (const auto reason = test::why_not("direct", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  constexpr std::size_t length = 4 * MiB;
  const std::unique_ptr<char, decltype(&std::free)> memory{static_cast<char*>(std::aligned_alloc(4096, length)),
                                                           &std::free};
  bytes_from(0, length).copy(memory.get(), length);
  for (const auto& each : test::working(test::direct_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    writer out{path_, each.options(64 << 10)};
    fault_injection watch;
    out.write(std::string_view{memory.get(), length});
    EXPECT_EQ(watch.count(call::write_at) + watch.count(call::submit_write), 1U);
    EXPECT_EQ(out.written_bytes(), length);
    out.write("and a little more");
    out.close();
    EXPECT_EQ(std::filesystem::file_size(path_), length + 17);
  }
}

// Takes 2 s: 16 MiB by each method, also those that wait for the disk, at three depths.
TEST_F(writing_costs, block_times_depth_and_a_little_memory) {
  const auto before = detail::pool::in_use();
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    for (const unsigned depth : {1U, 2U, 4U}) {
      SCOPED_TRACE(each);
      writer out{path_, each.options(MiB, depth)};
      EXPECT_LE(detail::pool::in_use() - before, 64U << 10) << "starts small";
      for (std::size_t written = 0; written < 16 * MiB; written += 100'000) {
        out.write(std::string(100'000, 'x'));
        ASSERT_LE(detail::pool::in_use() - before, MiB * depth + MiB);
      }
      out.close();
      EXPECT_EQ(detail::pool::in_use(), before) << "all is given back at close";
    }
  }
}

// Takes 7 s: 500 files of 1 MiB are open at once, and read again afterwards.
TEST_F(writing_costs, many_writers_stay_under_the_cap_together) {
  constexpr std::size_t writers = 500;
  constexpr std::size_t length = MiB + 77;
  const auto bytes = bytes_from(0, length);
  const std::vector<test::way> ways = test::working(test::all_ways(), directory_.path());
  ASSERT_FALSE(ways.empty());
  std::vector<writer> open;
  for (std::size_t i = 0; i < writers; ++i)
    open.emplace_back(directory_ / std::to_string(i), ways[i % ways.size()].options(MiB, 4));
  for (std::size_t from = 0; from < length; from += 200'000)
    for (auto& each : open) {
      each.write(bytes, from, 200'000);
      ASSERT_LE(detail::pool::in_use(), detail::pool::cap());
    }
  for (auto& each : open) each.close();
  open.clear();
  for (std::size_t i = 0; i < writers; ++i) {
    SCOPED_TRACE(i);
    expect_prefix(directory_ / std::to_string(i), length);
  }
}

TEST_F(writing_costs, without_a_promise_nothing_is_durable_before_sync) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    fault_injection watch;
    writer out{path_, each.options()};
    out.write(bytes_from(0, 300'000));
    EXPECT_LE(out.written_bytes(), 300'000U);
    out.flush();
    EXPECT_EQ(out.written_bytes(), 300'000U);
    EXPECT_EQ(std::filesystem::file_size(path_), 300'000U);
    EXPECT_EQ(out.durable_bytes(), 0U);
    EXPECT_EQ(watch.count(call::sync_data), 0U);
    out.sync();
    EXPECT_EQ(out.durable_bytes(), 300'000U);
    EXPECT_EQ(watch.count(call::sync_data), 1U);
    EXPECT_EQ(watch.count(call::sync_directory), 1U);
    out.write("more");
    out.close();
    EXPECT_EQ(out.written_bytes(), 300'004U);
    EXPECT_EQ(out.durable_bytes(), 300'000U);
  }
}

TEST_F(writing_costs, at_close_is_durable_at_close) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    fault_injection watch;
    auto options = each.options();
    options.durability = durability::at_close;
    writer out{path_, options};
    out.write(bytes_from(0, 300'001));
    out.flush();
    EXPECT_EQ(watch.count(call::sync_data), 0U);
    EXPECT_EQ(out.durable_bytes(), 0U);
    out.close();
    EXPECT_EQ(out.durable_bytes(), 300'001U);
    EXPECT_EQ(watch.count(call::sync_data), 1U);
    EXPECT_EQ(watch.count(call::sync_directory), 1U) << "the entry, too";
  }
}

TEST_F(writing_costs, each_write_is_durable_block_by_block) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    std::filesystem::remove(path_);
    auto options = each.options();
    options.durability = durability::each_write;
    // Whoever asks for the descriptor changes how a file is written.
    EXPECT_NE(::fcntl(writer{directory_ / "other", options}.native_handle(), F_GETFL) & O_DSYNC, 0);
    fault_injection watch;
    writer out{path_, options};
    EXPECT_EQ(watch.count(call::sync_directory), 1U) << "before there is anything to find";
    for (std::uint64_t i = 0; i < 40; ++i) {
      out.write(bytes_from(i * 10'000, 10'000));
      EXPECT_EQ(out.durable_bytes(), out.written_bytes());
      EXPECT_LT(out.tell() - out.durable_bytes(), 75'000U);
    }
    out.flush();
    EXPECT_EQ(out.durable_bytes(), 400'000U) << "flush() implies sync()";
    // O_DSYNC has no effect on a mapping.
    const auto syncs = each.method == "mmap" ? 6U : 0U;
    EXPECT_GE(watch.count(call::sync_data), syncs);
    out.close();
    expect_prefix(path_, 400'000);
  }
}

TEST_F(writing_costs, each_write_on_a_file_opened_elsewhere_syncs_each_block) {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  fault_injection watch;
  auto out =
      writer::on_descriptor(descriptor, ownership::take, {.block = 64 << 10, .durability = durability::each_write});
  for (int i = 0; i < 3; ++i) out.write(bytes_from(out.tell(), 65'536));
  out.flush();
  EXPECT_GE(watch.count(call::sync_data), 3U);
  EXPECT_EQ(out.durable_bytes(), 3 * 65'536U);
}

TEST_F(writing_costs, an_appended_file_s_entry_is_durable_with_its_first_block) {
  fault_injection watch;
  const writer out{path_, {.durability = durability::each_write, .mode = open_mode::append}};
  EXPECT_EQ(watch.count(call::sync_directory), 1U);
}

}  // namespace
}  // namespace freshet
