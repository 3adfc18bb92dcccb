// The times of blocks that change hands: each block counts once, in the thread that asked; otherwise no clock is read.
#include "tool/measure/block_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet::tool {
namespace {

using namespace std::chrono_literals;
using test::fault_injection;

constexpr std::size_t block = 64 << 10;

std::uint64_t bytes_in(const rate_curve& curve) {
  return std::accumulate(curve.bytes().begin(), curve.bytes().end(), std::uint64_t{0});
}

class block_watching : public testing::Test {
 protected:
  template <typename Work>
  void watch_here(Work work) {
    const block_watch::of_this_thread watching{watch_};
    work();
  }
  std::uint64_t bytes() const { return bytes_in(watch_.over_time()); }
  std::uint64_t calls() const { return watch_.latencies().calls(); }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  block_watch watch_;
};

TEST_F(block_watching, learns_of_each_block_and_of_the_rest_at_close) {
  for (const auto& each : test::working(test::all_ways(), directory_.path())) {
    SCOPED_TRACE(each);
    block_watch watch;
    {
      const block_watch::of_this_thread watching{watch};
      writer out{path_, each.options(block)};
      for (std::size_t byte = 0; byte < 5 * block + 7; ++byte) out.put('x');
      out.close();
    }
    EXPECT_EQ(watch.latencies().calls(), 6U);
    EXPECT_EQ(bytes_in(watch.over_time()), 5 * block + 7);
  }
}

TEST_F(block_watching, takes_many_blocks_without_a_copy_for_one) {
  watch_here([&] {
    writer out{path_, {.method = "buffered", .block = block}};
    out.write(std::string(10 * block, 'x'));
    out.close();
  });
  EXPECT_EQ(calls(), 1U);
  EXPECT_EQ(bytes(), 10 * block);
}

TEST_F(block_watching, learns_of_a_file_that_never_filled_a_block) {
  watch_here([&] { writer{path_}.write("a few bytes"); });
  EXPECT_EQ(calls(), 1U);
  EXPECT_EQ(bytes(), 11U);
}

TEST_F(block_watching, learns_of_no_flush_that_has_nothing_to_write) {
  watch_here([&] {
    writer out{path_, {.method = "buffered", .block = block}};
    out.write(std::string(block, 'x'));
    out.flush();
    out.flush();
    out.close();
  });
  EXPECT_EQ(calls(), 1U);
}

TEST_F(block_watching, learns_of_each_block_that_is_read) {
  writer{path_}.write(std::string(5 * block + 7, 'x'));
  for (const auto method : test::working({"buffered", "mmap", "direct", "uring"}, directory_.path())) {
    SCOPED_TRACE(method);
    block_watch watch;
    {
      const block_watch::of_this_thread watching{watch};
      reader in{path_, {.method = method, .block = block}};
      while (!in.available().empty()) in.skip(in.available().size());
    }
    EXPECT_EQ(bytes_in(watch.over_time()), 5 * block + 7);
    EXPECT_GE(watch.latencies().calls(), 1U);
    EXPECT_LE(watch.latencies().calls(), 6U);
  }
}

TEST_F(block_watching, measures_what_the_program_waits_for) {
  fault_injection faults;
  faults.delay(detail::os::call::write_at, 2, 30ms);
  watch_here([&] {
    writer out{path_, {.method = "buffered", .block = block}};
    for (int number = 0; number < 4; ++number) out.write(std::string(block, 'x'));
    out.close();
  });
  EXPECT_EQ(calls(), 4U);
  EXPECT_GE(watch_.latencies().quantile(1), 30'000'000U);
}

TEST_F(block_watching, adds_up_threads_that_asked_and_leaves_out_others) {
  const auto write = [&](int number) {
    writer out{directory_ / std::to_string(number), {.block = block}};
    for (std::size_t byte = 0; byte < 2 * block; ++byte) out.put('x');
    out.close();
  };
  std::vector<std::jthread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      const block_watch::of_this_thread watching{watch_};
      write(number);
    });
  threads.emplace_back([&] { write(4); });
  threads.clear();
  EXPECT_EQ(calls(), 8U);
  EXPECT_EQ(bytes(), 8 * block);
}

TEST_F(block_watching, ends_with_its_watch) {
  EXPECT_NE(detail::observe_blocks(nullptr), nullptr);
  {
    const block_watch inner;
    EXPECT_NE(detail::current_block_observer.load(), nullptr);
  }
  EXPECT_EQ(detail::current_block_observer.load(), nullptr);
}

TEST_F(block_watching, is_empty_where_nothing_was_seen) {
  watch_here([] {});
  EXPECT_EQ(watch_.latencies(), latency_histogram{});
  EXPECT_EQ(watch_.over_time(), rate_curve{});
}

}  // namespace
}  // namespace freshet::tool
