#include "src/os/queue.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/child.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using test::fault_injection;

const std::vector<queue_kind> kinds_here =
    std::is_pointer_v<native_handle_type> ? std::vector{queue_kind::overlapped}
                                          : std::vector{queue_kind::uring, queue_kind::libaio, queue_kind::posix_aio};

constexpr unsigned depth = 4;
constexpr std::size_t piece = 64 << 10;

std::string name_of(const testing::TestParamInfo<queue_kind>& info) {
  switch (info.param) {
    case queue_kind::uring:
      return "uring";
    case queue_kind::libaio:
      return "libaio";
    case queue_kind::posix_aio:
      return "posix_aio";
    case queue_kind::overlapped:
      return "overlapped";
  }
  return "unknown";
}

// Each kind of queue, with a file and `depth` pieces of memory, each filled with a different letter.
class os_queue : public testing::TestWithParam<queue_kind> {
 protected:
  void SetUp() override {
    queue_ = make_queue(GetParam(), depth, error_);
    if (queue_ == nullptr) GTEST_SKIP() << explain_missing_queue(GetParam(), error_);
    target_ = open("f");
    queue_->attach(target_);
    for (unsigned tag = 0; tag < depth; ++tag) std::ranges::fill(memory(tag), letter(tag));
  }

  file open(std::string_view name) {
    file opened = file::open(directory_ / name, {.read = true}, error_);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }

  std::span<std::byte> memory(unsigned tag) { return std::span{memory_}.subspan(tag * piece, piece); }
  static std::byte letter(unsigned tag) { return static_cast<std::byte>('a' + tag); }

  void submit(unsigned tag, std::uint64_t offset) {
    queue_->submit(tag, memory(tag), offset, error_);
    EXPECT_FALSE(error_) << error_.message();
  }

  // Waits for `count` writes; returns their completions by tag.
  std::map<unsigned, completion> wait_for(unsigned count) {
    std::map<unsigned, completion> ended;
    for (unsigned i = 0; i < count; ++i) {
      const completion one = queue_->wait(error_);
      EXPECT_FALSE(error_) << error_.message();
      EXPECT_TRUE(ended.emplace(one.tag, one).second) << "tag " << one.tag << " came twice";
    }
    return ended;
  }

  // Whether `from` contains exactly a piece with the letter of each of `tags`.
  static bool holds(file& from, const std::vector<unsigned>& tags) {
    std::error_code error;
    std::vector<std::byte> content((tags.size() + 1) * piece);
    if (from.read_at(content, 0, error) != tags.size() * piece) return false;
    for (std::size_t i = 0; i < content.size() - piece; ++i) {
      if (content[i] != letter(tags[i / piece])) return false;
    }
    return true;
  }

  // Whether closing the target closes the file: a lock on it ends with the last reference to the open file. Some
  // kernels release a registered file a little later.
  bool is_gone_after_close() {
    target_.lock(error_);
    EXPECT_FALSE(error_) << error_.message();
    target_.close(error_);
    const file again = file::open(directory_ / "f", {.creation = open_request::disposition::existing}, error_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    for (again.lock(error_); error_; again.lock(error_)) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
  }

  test::temporary_directory directory_;
  std::error_code error_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(depth * piece);
  file target_;
  std::unique_ptr<queue> queue_;  // goes before the memory that it writes from
};

TEST_P(os_queue, writes_all_that_is_in_flight) {
  EXPECT_EQ(queue_->depth(), depth);
  for (int round = 0; round < 3; ++round) {
    for (unsigned tag = 0; tag < depth; ++tag) submit(tag, tag * piece);
    for (const auto& [tag, ended] : wait_for(depth)) {
      EXPECT_LT(tag, depth);
      EXPECT_FALSE(ended.error) << ended.error.message();
      EXPECT_EQ(ended.transferred, piece);
    }
  }
  EXPECT_TRUE(holds(target_, {0, 1, 2, 3}));
}

TEST_P(os_queue, writes_out_of_known_memory_and_other) {
  for (unsigned tag = 0; tag < depth; tag += 2) queue_->use_memory(tag, memory(tag));
  queue_->use_memory(0, memory(0));
  for (unsigned tag = 0; tag < depth; ++tag) submit(tag, tag * piece);
  for (const auto& [tag, ended] : wait_for(depth)) EXPECT_EQ(ended.transferred, piece) << ended.error.message();
  // Registers memory under a tag, and writes from other memory with that tag, also after replacing the registered
  // memory.
  queue_->use_memory(2, memory(3));
  queue_->submit(0, memory(1), 0, error_);
  queue_->submit(2, memory(3), piece, error_);
  for (const auto& [tag, ended] : wait_for(2)) EXPECT_EQ(ended.transferred, piece) << ended.error.message();
  EXPECT_TRUE(holds(target_, {1, 3, 2, 3}));
}

TEST_P(os_queue, works_where_memory_and_file_cannot_be_registered) {
  fault_injection faults;
  faults.fail_always(call::register_buffers, std::errc::not_enough_memory);
  faults.fail_always(call::register_file, std::errc::too_many_files_open);
  queue_->detach();
  queue_->attach(target_);
  queue_->use_memory(0, memory(0));
  submit(0, 0);
  EXPECT_EQ(wait_for(1).at(0).transferred, piece);
  EXPECT_TRUE(holds(target_, {0}));
}

TEST_P(os_queue, writes_directly) {
  target_.set_direct(true, error_);
  if (error_) GTEST_SKIP() << "the file system has no O_DIRECT";
  std::byte* const aligned = allocate_pages(2 * piece);
  ASSERT_NE(aligned, nullptr);
  std::fill_n(aligned, piece, letter(0));
  std::fill_n(aligned + piece, piece, letter(1));
  for (unsigned tag = 0; tag < 2; ++tag) {
    queue_->use_memory(tag, {aligned + tag * piece, piece});
    queue_->submit(tag, {aligned + tag * piece, piece}, tag * piece, error_);
    EXPECT_FALSE(error_) << error_.message();
  }
  for (const auto& [tag, ended] : wait_for(2)) EXPECT_EQ(ended.transferred, piece) << ended.error.message();
  queue_->detach();
  free_pages(aligned, 2 * piece);
  target_.set_direct(false, error_);
  EXPECT_TRUE(holds(target_, {0, 1}));
}

TEST_P(os_queue, changes_files_and_lets_go_of_them) {
  submit(0, 0);
  wait_for(1);
  queue_->detach();
  file second = open("second");
  queue_->attach(second);
  submit(1, 0);
  wait_for(1);
  EXPECT_TRUE(holds(second, {1}));
  EXPECT_TRUE(holds(target_, {0}));

  EXPECT_TRUE(is_gone_after_close());
}

TEST_P(os_queue, a_refused_write_is_not_made_and_ends_with_the_error) {
  fault_injection faults;
  faults.fail(call::submit_write, 2, std::errc::no_space_on_device);
  for (unsigned tag = 0; tag < 3; ++tag) submit(tag, tag * piece);
  const auto ended = wait_for(3);
  EXPECT_EQ(ended.at(0).transferred, piece);
  EXPECT_EQ(ended.at(1).error, std::errc::no_space_on_device);
  EXPECT_EQ(ended.at(1).transferred, 0U);
  EXPECT_EQ(ended.at(2).transferred, piece);
  std::byte hole{1};
  EXPECT_EQ(target_.read_at({&hole, 1}, piece, error_), 1U);
  EXPECT_EQ(hole, std::byte{0});
  EXPECT_EQ(faults.seen(call::submit_write).at(1).offset, piece);
  EXPECT_EQ(faults.seen(call::submit_write).at(1).length, piece);
}

TEST_P(os_queue, a_shortened_write_tells_its_length) {
  fault_injection faults;
  faults.shorten(call::submit_write, 1, 1000);
  submit(0, 0);
  EXPECT_EQ(wait_for(1).at(0).transferred, 1000U);
  EXPECT_EQ(target_.status(error_).size, 1000U);
}

TEST_P(os_queue, what_could_not_be_submitted_is_never_written) {
  fault_injection faults;
  faults.fail(call::submit, 1, 5, std::errc::resource_unavailable_try_again);
  for (int i = 0; i < 5; ++i) {
    queue_->submit(0, memory(0), 0, error_);
    EXPECT_EQ(error_, std::errc::resource_unavailable_try_again);
  }
  submit(1, 0);
  const auto ended = wait_for(1);
  EXPECT_EQ(ended.begin()->first, 1U);
  EXPECT_TRUE(holds(target_, {1}));
  for (unsigned tag = 0; tag < depth; ++tag) submit(tag, tag * piece);
  EXPECT_EQ(wait_for(depth).size(), depth);
}

TEST_P(os_queue, a_wait_that_failed_can_be_repeated) {
  fault_injection faults;
  faults.fail(call::wait, 1, std::errc::interrupted);
  faults.fail(call::submit_write, 2, std::errc::io_error);
  submit(0, 0);
  submit(1, piece);
  queue_->wait(error_);
  EXPECT_EQ(error_, std::errc::interrupted);
  const auto ended = wait_for(2);
  EXPECT_EQ(ended.at(0).transferred, piece);
  EXPECT_EQ(ended.at(1).error, std::errc::io_error);
}

TEST_P(os_queue, reports_what_the_kernel_says) {
  const file reading = file::open(
      directory_ / "f", {.creation = open_request::disposition::existing, .read = true, .write = false}, error_);
  queue_->detach();
  queue_->attach(reading);
  queue_->submit(0, memory(0), 0, error_);
  // Every kind notices the error, but not at the same place.
  if (!error_) error_ = queue_->wait(error_).error;
  EXPECT_EQ(error_, std::errc::bad_file_descriptor);
}

TEST_P(os_queue, destruction_waits_for_what_is_in_flight) {
  for (unsigned tag = 0; tag < depth; ++tag) submit(tag, tag * piece);
  queue_.reset();
  std::ranges::fill(memory_, std::byte{'!'});
  EXPECT_TRUE(holds(target_, {0, 1, 2, 3}));
}

TEST_P(os_queue, moves_between_threads) {
  std::thread{[this] { submit(0, 0); }}.join();
  EXPECT_EQ(wait_for(1).at(0).transferred, piece);
  std::thread{[this] { EXPECT_EQ((submit(1, piece), wait_for(1)).at(1).transferred, piece); }}.join();
  EXPECT_TRUE(holds(target_, {0, 1}));
}

TEST_P(os_queue, a_child_of_a_fork_leaves_its_parents_alone) {
  EXPECT_TRUE(queue_->is_ours());
  for (unsigned tag = 0; tag < depth; ++tag) queue_->use_memory(tag, memory(tag));
  for (unsigned tag = 0; tag < depth; ++tag) submit(tag, tag * piece);
  EXPECT_TRUE(test::true_in_child([this] {
    const bool is_foreign = !queue_->is_ours();
    queue_.reset();
    return is_foreign;
  }));
  for (const auto& [tag, ended] : wait_for(depth)) EXPECT_EQ(ended.transferred, piece) << ended.error.message();
  submit(0, 0);
  EXPECT_EQ(wait_for(1).at(0).transferred, piece);
  EXPECT_TRUE(holds(target_, {0, 1, 2, 3}));
}

TEST_P(os_queue, setting_up_can_fail) {
  fault_injection faults;
  faults.fail(call::queue_setup, 1, 2, std::errc::operation_not_permitted);
  EXPECT_EQ(make_queue(GetParam(), depth, error_), nullptr);
  EXPECT_EQ(error_, std::errc::operation_not_permitted);
  // No idle queue has this depth.
  EXPECT_FALSE(queue_lease::take(GetParam(), 13, error_));
  EXPECT_EQ(error_, std::errc::operation_not_permitted);
  EXPECT_TRUE(queue_lease::take(GetParam(), 13, error_));
  EXPECT_FALSE(error_);
}

TEST_P(os_queue, leases_are_reused_by_kind_and_depth) {
  fault_injection faults;
  { const auto first = queue_lease::take(GetParam(), 5, error_); }
  const auto setups = faults.count(call::queue_setup);
  {
    const auto again = queue_lease::take(GetParam(), 5, error_);
    ASSERT_TRUE(again);
    EXPECT_EQ(faults.count(call::queue_setup), setups);
    EXPECT_EQ(again->depth(), 5U);
    const auto deeper = queue_lease::take(GetParam(), 6, error_);
    ASSERT_TRUE(deeper) << explain_missing_queue(GetParam(), error_);
    EXPECT_EQ(deeper->depth(), 6U);
    const auto another = queue_lease::take(GetParam(), 5, error_);
    EXPECT_NE(another.operator->(), again.operator->());
  }
  auto gone = queue_lease::take(GetParam(), 5, error_);
  auto gone_too = queue_lease::take(GetParam(), 5, error_);
  const auto before = faults.count(call::queue_setup);
  gone.discard();
  gone_too.discard();
  EXPECT_FALSE(gone);
  const auto fresh = queue_lease::take(GetParam(), 5, error_);
  EXPECT_EQ(faults.count(call::queue_setup), before + 1);
}

TEST_P(os_queue, a_lease_comes_back_without_its_file) {
  queue_->detach();
  {
    auto lease = queue_lease::take(GetParam(), 7, error_);
    const auto moved = std::move(lease);
    EXPECT_FALSE(lease);
    moved->attach(target_);
  }
  EXPECT_TRUE(is_gone_after_close());
}

TEST_P(os_queue, only_some_idle_queues_are_kept) {
  fault_injection faults;
  const auto take_many = [this] {
    std::vector<queue_lease> many;
    for (int i = 0; i < 20 && !error_; ++i) many.push_back(queue_lease::take(GetParam(), 2, error_));
  };
  take_many();
  const auto setups = faults.count(call::queue_setup);
  take_many();
  if (error_) GTEST_SKIP() << "no twenty at once: " << explain_missing_queue(GetParam(), error_);
  EXPECT_EQ(faults.count(call::queue_setup) - setups, 12U);
}

TEST_P(os_queue, a_child_of_a_fork_makes_its_own) {
  { const auto idle = queue_lease::take(GetParam(), depth, error_); }
  auto leased = queue_lease::take(GetParam(), 3, error_);
  EXPECT_TRUE(test::true_in_child([&] {
    { const auto foreign = std::move(leased); }
    fault_injection faults;
    const auto own = queue_lease::take(GetParam(), depth, error_);
    if (!own || !own->is_ours() || faults.count(call::queue_setup) != 1) return false;
    own->attach(target_);
    own->submit(0, memory(0), 0, error_);
    return !error_ && own->wait(error_).transferred == piece && !error_;
  }));
  EXPECT_TRUE(holds(target_, {0}));
  leased->attach(target_);
  leased->submit(1, memory(1), 0, error_);
  EXPECT_EQ(leased->wait(error_).transferred, piece);
  EXPECT_TRUE(holds(target_, {1}));
}

TEST(os_queue_reasons, are_told_in_words) {
  const auto explain = [](queue_kind kind, std::errc why) {
    return explain_missing_queue(kind, std::make_error_code(why));
  };
  for (const std::errc why :
       {std::errc::function_not_supported, std::errc::operation_not_permitted, std::errc::not_enough_memory}) {
    EXPECT_NE(explain(queue_kind::uring, why).find("io_uring"), std::string::npos);
  }
  EXPECT_NE(explain(queue_kind::libaio, std::errc::resource_unavailable_try_again).find("aio"), std::string::npos);
  EXPECT_NE(explain(queue_kind::libaio, std::errc::function_not_supported).find("aio"), std::string::npos);
  EXPECT_EQ(explain(queue_kind::posix_aio, std::errc::too_many_files_open),
            std::make_error_code(std::errc::too_many_files_open).message());
}

INSTANTIATE_TEST_SUITE_P(kinds, os_queue, testing::ValuesIn(kinds_here), name_of);

}  // namespace
}  // namespace freshet::detail::os
