// A writer whose method changes while it writes: the bytes, the order of the calls, and when it changes.
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "src/method/registry.hpp"
#include "src/os/interceptor.hpp"
#include "tests/src/method/machine_with_memory.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;
using test::forced_changes;
using test::machine_with_memory;

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

/// The calls that write bytes, start to write them back, wait for them and drop them, in their order.
class call_order final : public detail::os::interceptor {
 public:
  struct made_call {
    call kind;
    std::uint64_t offset;
    std::uint64_t length;
  };
  call_order() : replaced_{detail::os::intercept(this)} {}
  call_order(const call_order&) = delete;
  call_order& operator=(const call_order&) = delete;
  ~call_order() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    const std::lock_guard lock{mutex_};
    calls_.push_back({next.kind, next.offset, next.length});
    return replaced_ != nullptr ? replaced_->before(next) : std::error_code{};
  }
  [[nodiscard]] std::vector<made_call> all() const {
    const std::lock_guard lock{mutex_};
    return calls_;
  }
  [[nodiscard]] std::vector<made_call> of(call kind) const {
    auto some = all();
    std::erase_if(some, [kind](const made_call& each) { return each.kind != kind; });
    return some;
  }
  [[nodiscard]] std::uint64_t bytes_of(call kind) const {
    std::uint64_t bytes = 0;
    for (const made_call& each : of(kind)) bytes += each.length;
    return bytes;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<made_call> calls_;
  detail::os::interceptor* replaced_;
};

class adaptive : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::can_change(directory_.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
  }

  static std::uint64_t bytes_by(const writer& out, std::string_view method) {
    for (const method_share& each : out.statistics().methods)
      if (each.method == method) return each.bytes;
    return 0;
  }

  static void write(writer& out, std::size_t length, std::size_t longest = 300'000) {
    std::minstd_rand random{7};
    const std::uint64_t end = out.tell() + length;
    while (out.tell() < end) {
      const std::size_t piece = std::min<std::size_t>(end - out.tell(), 1 + random() % longest);
      out.write(test::bytes_from(out.tell(), piece));
    }
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(adaptive, writes_every_byte_once_if_it_changes_after_each_block) {
  for (bool (*const decide)() noexcept : {test::at_each_block, test::at_random}) {
    const test::forced_changes force{decide};
    for (const std::size_t block : {std::size_t{0}, std::size_t{4096}, 64 * KiB}) {
      writer out{path_, {.method = "adaptive", .block = block}};
      write(out, 3 * MiB + 12'345);
      out.flush();
      test::expect_prefix(path_, out.tell());
      write(out, 9 * MiB + 1);
      out.close();
      test::expect_prefix(path_, 12 * MiB + 12'346);
      const bool has_many = decide == test::at_each_block || block != 0;
      EXPECT_GE(out.statistics().all_changes, has_many ? 2U : 0U);
    }
  }
}

TEST_F(adaptive, changes_in_files_of_every_durability) {
  const test::forced_changes force{test::at_random};
  for (const durability wanted : {durability::none, durability::at_close, durability::each_write}) {
    writer out{path_, {.method = "adaptive", .block = 64 * KiB, .durability = wanted}};
    write(out, 2 * MiB + 5);
    out.sync();
    EXPECT_EQ(out.durable_bytes(), 2 * MiB + 5);
    out.close();
    test::expect_prefix(path_, 2 * MiB + 5);
  }
}

// So a power cut leaves no hole that the page cache by itself could not leave.
TEST_F(adaptive, sends_its_bytes_to_the_device_in_their_order) {
  const call_order order;
  writer out{path_, {.method = "adaptive", .durability = durability::at_close}};
  write(out, 24 * MiB + 5);
  out.close();
  std::uint64_t written = 0, started = 0, known = 0, dropped = 0;
  for (const auto& [kind, offset, length] : order.all()) {
    if (kind == call::write_at) written = offset + length;
    if (kind != call::start_writeback && kind != call::wait_writeback && kind != call::advise) continue;
    std::uint64_t& end = kind == call::start_writeback ? started : kind == call::wait_writeback ? known : dropped;
    EXPECT_EQ(offset, end) << "each part once";
    end = offset + length;
    EXPECT_LE(started, written);
    EXPECT_LE(known, started);
    EXPECT_LE(dropped, known) << "nothing is dropped before it is on the device";
  }
  EXPECT_GT(started, 0U);
  test::expect_prefix(path_, 24 * MiB + 5);
}

TEST_F(adaptive, reports_what_was_lost_when_it_was_written_back) {
  writer out{path_, {.method = "adaptive", .durability = durability::at_close}};
  write(out, 4 * MiB);
  out.sync();  // now the kernel tells that these bytes are on the device, and they are to be given back
  fault_injection faults;
  faults.fail_always(call::wait_writeback, std::errc::io_error);
  std::error_code error;
  for (int i = 0; i < 100 && !error; ++i) out.write(std::string(100'000, 'x'), error);
  EXPECT_EQ(error, std::errc::io_error);
  EXPECT_EQ(out.last_error(), std::errc::io_error);
  std::error_code again;
  out.close(again);
  EXPECT_EQ(again, std::errc::io_error);
}

std::atomic<int> changes_left{0};

TEST_F(adaptive, goes_on_where_the_system_refuses_to_write_behind) {
  for (const call refused : {call::start_writeback, call::wait_writeback, call::advise, call::status})
    for (const std::errc why : {std::errc::invalid_argument, std::errc::function_not_supported,
                                std::errc::operation_not_supported, std::errc::operation_not_permitted}) {
      SCOPED_TRACE(testing::Message() << "call " << static_cast<int>(refused) << ", "
                                      << std::make_error_code(why).message());
      writer out{path_, {.method = "adaptive"}};
      const test::forced_changes force{[]() noexcept { return false; }};
      write(out, MiB);
      fault_injection faults;
      faults.fail_always(refused, why);
      std::error_code error;
      changes_left = 1;  // to write behind the cursor
      detail::force_changes = []() noexcept { return changes_left.fetch_sub(1) > 0; };
      while (out.tell() < 24 * MiB && !error) out.write(test::bytes_from(out.tell(), 300'001), error);
      EXPECT_FALSE(error) << error.message();
      EXPECT_GT(faults.count(refused), 0U);
    }
}

// Older kernels do not tell what is on the device.
TEST_F(adaptive, waits_for_the_oldest_bytes_where_the_kernel_does_not_tell) {
  writer out{path_, {.method = "adaptive", .durability = durability::at_close}};
  write(out, MiB);
  fault_injection faults;
  faults.fail_always(call::status, std::errc::function_not_supported);
  const call_order order;
  write(out, 63 * MiB);
  EXPECT_GT(order.bytes_of(call::start_writeback), 32 * MiB);
  EXPECT_LE(order.bytes_of(call::start_writeback) - order.bytes_of(call::wait_writeback), 32 * MiB)
      << "no more is on its way at a time";
}

TEST_F(adaptive, reports_a_refusal_of_what_the_program_named) {
  fault_injection faults;
  for (const call writing : {call::write_at, call::write}) faults.fail_always(writing, std::errc::invalid_argument);
  writer out{path_, {.method = "direct", .block = 64 * KiB}};
  std::error_code failure;
  out.write(std::string(MiB, 'x'), failure);
  if (!failure) out.close(failure);
  EXPECT_EQ(failure, std::errc::invalid_argument);
}

TEST_F(adaptive, gives_pages_back_where_others_are_slow) {
  const machine_with_memory machine{200e6};
  writer out{path_};
  const double begin = machine.now();
  write(out, 256 * MiB, MiB);
  EXPECT_GT(bytes_by(out, "writebehind"), 200 * MiB) << describe(out.statistics());
  EXPECT_LT(machine.now() - begin, 256.0 * MiB / 200e6 / 4) << describe(out.statistics());
  EXPECT_EQ(out.method(), "writebehind");
  ASSERT_FALSE(out.statistics().changes.empty());
  EXPECT_EQ(out.statistics().changes[0].from, "buffered");
  EXPECT_EQ(out.statistics().changes[0].to, "writebehind");
  EXPECT_FALSE(out.statistics().changes[0].reason.empty());
  out.close();
  test::expect_prefix(path_, 256 * MiB);
}

TEST_F(adaptive, goes_past_the_page_cache_where_the_device_is_faster) {
  if (!test::why_not("direct", directory_.path()).empty()) GTEST_SKIP() << "nothing here writes past the page cache";
  const machine_with_memory machine{100e6, 20e9};
  const call_order order;
  writer out{path_};
  write(out, 300 * MiB + 5, 100'000);
  const file_statistics statistics = out.statistics();
  EXPECT_TRUE(detail::find_method(out.method())->direct) << describe(statistics);
  EXPECT_EQ(statistics.changes.back().reason, "the device is faster");
  const std::uint64_t begin = statistics.changes.back().offset;
  EXPECT_GE(begin, 16 * MiB);
  EXPECT_LE(begin, 128 * MiB);
  std::uint64_t waited = 0;
  for (const auto& each : order.all()) {
    if (each.kind == call::wait_writeback) waited = std::max(waited, each.offset + each.length);
    if (each.kind == call::submit_write) {
      EXPECT_GE(waited, begin) << "a power cut could leave a hole";
    }
  }
  out.close();
  test::expect_prefix(path_, 300 * MiB + 5);
}

TEST_F(adaptive, goes_past_the_page_cache_without_a_queue) {
  if (!test::why_not("direct", directory_.path()).empty()) GTEST_SKIP() << "nothing here writes past the page cache";
  machine_with_memory machine{100e6, 20e9};
  machine.refuse_queues();
  writer out{path_};
  write(out, 300 * MiB + 5, 100'000);
  EXPECT_TRUE(detail::find_method(out.method())->direct) << describe(out.statistics());
  EXPECT_GT(machine.direct_bytes(), 100 * MiB);
  out.close();
  test::expect_prefix(path_, 300 * MiB + 5);
}

TEST_F(adaptive, returns_to_the_page_cache_where_the_device_is_slower_than_it_seemed) {
  if (!test::why_not("direct", directory_.path()).empty()) GTEST_SKIP() << "nothing here writes past the page cache";
  const machine_with_memory machine{200e6, 20e6};
  writer out{path_};
  write(out, 200 * MiB, 100'000);
  EXPECT_FALSE(detail::find_method(out.method())->direct) << describe(out.statistics());
  EXPECT_GE(bytes_by(out, "buffered") + bytes_by(out, "writebehind"), 150 * MiB) << describe(out.statistics());
  out.close();
  test::expect_prefix(path_, 200 * MiB);
}

TEST_F(adaptive, keeps_blocks_that_the_program_chose) {
  const machine_with_memory machine{100e6, 20e9};
  writer out{path_, {.method = "adaptive", .block = 256 * KiB}};
  write(out, 128 * MiB, 100'000);
  EXPECT_FALSE(detail::find_method(out.method())->direct) << describe(out.statistics());
}

TEST_F(adaptive, keeps_pages_where_others_are_as_quick) {
  const machine_with_memory machine{5e9};
  writer out{path_};
  write(out, 256 * MiB, MiB);
  EXPECT_EQ(out.method(), "buffered") << describe(out.statistics());
  EXPECT_LE(bytes_by(out, "writebehind"), 64 * MiB) << describe(out.statistics());
}

// None of them waits for what another one finds out, and a file that stays open keeps no other from it.
TEST_F(adaptive, gives_pages_back_in_each_of_several_open_files) {
  const machine_with_memory machine{200e6};
  writer first{path_};
  writer second{directory_ / "second"};
  write(first, 64 * MiB, MiB);
  write(second, 64 * MiB, MiB);
  for (const writer* each : {&first, &second})
    EXPECT_GT(bytes_by(*each, "writebehind"), 32 * MiB) << describe(each->statistics());
}

// Large folios meet other memory.
TEST_F(adaptive, writes_large_pieces_in_calls_of_a_block) {
  for (const std::string_view method : {"adaptive", "buffered", "writebehind", "auto"}) {
    SCOPED_TRACE(method);
    const call_order order;
    writer out{path_, {.method = method}};
    out.write(test::bytes_from(0, 100));
    out.write(test::bytes_from(100, 3 * MiB));
    out.close();
    const auto calls = order.of(call::write_at);
    ASSERT_FALSE(calls.empty());
    for (const auto& each : calls) EXPECT_LE(each.length, 256 * KiB);
    for (std::size_t i = 0; i + 1 < calls.size(); ++i)
      EXPECT_EQ((calls[i].offset + calls[i].length) % (64 * KiB), 0U) << "call " << i;
  }
  const call_order order;
  writer out{path_, {.method = "buffered", .block = MiB}};
  out.write(test::bytes_from(0, 3 * MiB));
  for (const auto& each : order.of(call::write_at)) EXPECT_EQ(each.length, MiB) << "the user's own";
}

TEST_F(adaptive, stays_where_files_are_in_memory_only) {
  const test::temporary_directory in_memory{test::undisturbed_place()};
  std::error_code error;
  const auto place = detail::os::file::open_existing(in_memory.path(), error);
  if (error || !detail::os::is_in_memory(place)) GTEST_SKIP() << "the tests have no directory in memory";
  const machine_with_memory machine{200e6};
  writer out{in_memory / "file"};
  write(out, 40 * MiB, MiB);
  EXPECT_EQ(out.statistics().all_changes, 0U) << describe(out.statistics());
  out.close();
  test::expect_prefix(in_memory / "file", 40 * MiB);
}

// In containers. What is on the device is not known there, and nothing but the whole file could be waited for.
TEST_F(adaptive, gives_pages_back_on_overlayfs_without_a_wait) {
  const test::mounted_image mounted{directory_.path(), "overlay", 256 * MiB};
  if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  const auto path = mounted.path() / "file";
  const call_order order;
  writer out{path, {.method = "adaptive", .durability = durability::at_close}};
  write(out, 100 * MiB);
  EXPECT_TRUE(order.of(call::wait_writeback).empty());
  EXPECT_GT(order.bytes_of(call::start_writeback), 64 * MiB);
  EXPECT_LE(order.bytes_of(call::start_writeback) - order.bytes_of(call::advise), 64 * MiB)
      << "no more of what was sent is kept at a time";
  out.close();
  test::expect_prefix(path, 100 * MiB);
}

// There is no measure of the device, so nothing goes past the page cache by itself.
TEST_F(adaptive, stays_in_the_page_cache_of_overlayfs) {
  const test::mounted_image mounted{directory_.path(), "overlay", 512 * MiB};
  if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  const machine_with_memory machine{100e6, 20e9};
  writer out{mounted.path() / "file"};
  write(out, 200 * MiB, MiB);
  EXPECT_GT(bytes_by(out, "writebehind"), 100 * MiB) << describe(out.statistics());
  EXPECT_EQ(bytes_by(out, "writebehind") + bytes_by(out, "buffered"), 200 * MiB) << describe(out.statistics());
  out.close();
  test::expect_prefix(mounted.path() / "file", 200 * MiB);
}

TEST_F(adaptive, changes_on_overlayfs_keep_every_byte) {
  const test::mounted_image mounted{directory_.path(), "overlay", 64 * MiB};
  if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  const forced_changes force;
  writer out{mounted.path() / "file", {.method = "adaptive"}};
  write(out, 16 * MiB);
  out.close();
  EXPECT_GT(out.statistics().all_changes, 0U);
  test::expect_prefix(mounted.path() / "file", 16 * MiB);
}

TEST_F(adaptive, makes_the_same_calls_as_buffered_until_it_looks) {
  const machine_with_memory machine{5e9};
  const auto calls = [&](std::string_view method) {
    const call_order order;
    writer out{path_, {.method = method}};
    write(out, 15 * MiB, MiB);
    out.close();
    return order.all().size();
  };
  const std::size_t usual = calls("buffered");
  std::filesystem::remove(path_);
  EXPECT_EQ(calls("adaptive"), usual);
}

TEST_F(adaptive, stays_with_a_method_that_is_named) {
  const machine_with_memory machine{200e6};
  writer out{path_, {.method = "buffered"}};
  write(out, 32 * MiB, MiB);
  out.close();
  EXPECT_EQ(out.statistics().all_changes, 0U);
  ASSERT_EQ(out.statistics().methods.size(), 1U);
  EXPECT_EQ(out.statistics().methods[0].method, "buffered");
  EXPECT_EQ(out.statistics().methods[0].bytes, 32 * MiB);
  EXPECT_GT(out.statistics().methods[0].seconds_waited, 0.1);
}

}  // namespace
}  // namespace freshet
