#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using test::fault_injection;

class os_reading : public testing::Test {
 protected:
  file open(std::size_t length) {
    test::make_file(directory_ / "f", length);
    return file::open_existing(directory_ / "f", error_);
  }

  test::temporary_directory directory_;
  std::error_code error_;
};

TEST_F(os_reading, goes_on_at_the_descriptor_s_own_position) {
  file source = open(10);
  std::array<std::byte, 6> some{};
  EXPECT_EQ(source.read(some, error_), 6U);
  EXPECT_TRUE(test::belongs_at(0, some));
  EXPECT_EQ(source.position(error_), 6U);
  EXPECT_EQ(source.read(some, error_), 4U);
  EXPECT_EQ(source.read(some, error_), 0U);
  source.set_position(3, error_);
  EXPECT_EQ(source.read(some, error_), 6U);
  EXPECT_TRUE(test::belongs_at(3, some));
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(source.read_at(some, 0, error_), 6U);
  EXPECT_EQ(source.position(error_), 9U);
}

TEST_F(os_reading, a_pipe_has_no_position) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const file source = file::wrap(ends[0], true);
  const file sink = file::wrap(ends[1], true);
  static_cast<void>(source.position(error_));
  EXPECT_EQ(error_, std::errc::invalid_seek);
  EXPECT_TRUE(source.is_readable());
  EXPECT_FALSE(source.is_writable());
  EXPECT_FALSE(sink.is_readable());
  EXPECT_FALSE(file{}.is_readable());
}

TEST_F(os_reading, knows_how_much_of_a_file_s_beginning_is_cached) {
  file source = open(20 * page_size() + 1);
  EXPECT_EQ(source.cached(error_, 5 * page_size()).pages, 5U);
  EXPECT_EQ(source.cached(error_, 5 * page_size()).cached, 5U);
  EXPECT_EQ(source.cached(error_, 100 * page_size()).pages, 21U);
  EXPECT_FALSE(error_) << error_.message();
}

TEST_F(os_reading, maps_a_file_that_may_only_be_read) {
  const file source = open(3 * page_size());
  EXPECT_TRUE(mapping::map(source, 0, page_size(), error_).bytes().empty());
  EXPECT_EQ(error_, std::errc::permission_denied);
  const auto mapped = mapping::map_to_read(source, page_size(), 2 * page_size(), error_);
  ASSERT_FALSE(error_) << error_.message();
  EXPECT_EQ(mapped.bytes().size(), 2 * page_size());
  EXPECT_TRUE(test::belongs_at(page_size(), mapped.bytes()));
}

// A queue for reading, with a file of known bytes and `depth` pieces of memory.
class os_reading_queue : public os_reading {
 protected:
  static constexpr unsigned depth = 4;
  static constexpr std::size_t piece = 64 << 10;

  void SetUp() override {
    queue_ = make_queue(queue_kind::uring, depth, error_);
    if (queue_ == nullptr) GTEST_SKIP() << explain_missing_queue(queue_kind::uring, error_);
    source_ = open(depth * piece);
    queue_->attach(source_);
  }

  std::span<std::byte> memory(unsigned tag) { return std::span{memory_}.subspan(tag * piece, piece); }

  void submit(unsigned tag, std::uint64_t offset) {
    queue_->submit_read(tag, memory(tag), offset, error_);
    EXPECT_FALSE(error_) << error_.message();
  }
  // Waits for `count` reads; returns their completions by tag.
  std::map<unsigned, completion> wait_for(unsigned count) {
    std::map<unsigned, completion> ended;
    while (ended.size() < count) {
      const completion one = queue_->wait(error_);
      EXPECT_FALSE(error_) << error_.message();
      EXPECT_TRUE(ended.emplace(one.tag, one).second) << "tag " << one.tag << " came twice";
    }
    return ended;
  }

  // Whether the memory of the tag contains the `length` bytes that belong at `offset`, followed by zeros.
  bool got(unsigned tag, std::uint64_t offset, std::size_t length = piece) {
    const auto behind = memory(tag).subspan(length);
    return test::belongs_at(offset, memory(tag).first(length)) &&
           std::ranges::all_of(behind, [](std::byte each) { return each == std::byte{0}; });
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(depth * piece);
  file source_;
  std::unique_ptr<queue> queue_;  // goes before the memory that it reads into
};

TEST_F(os_reading_queue, reads_into_known_memory_and_other) {
  queue_->use_memory(0, memory(0));
  queue_->use_memory(2, memory(2));
  const auto written = submitted_writes();
  for (unsigned tag = 0; tag < depth; ++tag) submit(tag, (depth - 1 - tag) * piece);
  for (const auto& [tag, ended] : wait_for(depth)) {
    EXPECT_FALSE(ended.error) << ended.error.message();
    EXPECT_EQ(ended.transferred, piece);
    EXPECT_TRUE(got(tag, (depth - 1 - tag) * piece));
  }
  EXPECT_EQ(submitted_writes(), written);
}

TEST_F(os_reading_queue, tells_how_much_there_was) {
  submit(0, depth * piece - 100);
  submit(1, depth * piece);
  auto ended = wait_for(2);
  EXPECT_EQ(ended[0].transferred, 100U);
  EXPECT_TRUE(got(0, depth * piece - 100, 100));
  EXPECT_EQ(ended[1].transferred, 0U);
  EXPECT_FALSE(ended[1].error);
}

TEST_F(os_reading_queue, a_read_can_be_refused_or_cut_short) {
  fault_injection faults;
  faults.fail(call::submit_read, 1, std::errc::io_error);
  faults.shorten(call::submit_read, 2, 10);
  submit(0, 0);
  submit(1, 0);
  auto ended = wait_for(2);
  EXPECT_EQ(ended[0].error, std::errc::io_error);
  EXPECT_TRUE(got(0, 0, 0));
  EXPECT_EQ(ended[1].transferred, 10U);
  EXPECT_TRUE(got(1, 0, 10));
}

TEST_F(os_reading, is_not_what_the_older_queues_do) {
  file source = open(100);
  std::array<std::byte, 100> some{};
  int asked = 0;
  for (const auto kind : {queue_kind::libaio, queue_kind::posix_aio}) {
    const auto only_writes = make_queue(kind, 1, error_);
    if (only_writes == nullptr) continue;
    ++asked;
    only_writes->attach(source);
    only_writes->submit_read(0, some, 0, error_);
    EXPECT_EQ(error_, std::errc::function_not_supported);
  }
  EXPECT_GT(asked, 0) << "there is no older queue";
}

}  // namespace
}  // namespace freshet::detail::os
