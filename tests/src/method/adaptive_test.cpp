// A writer whose method changes while it writes: the bytes, the order of the calls, and when it changes.
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "src/method/device_speeds.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/simulated_clock.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;
using test::forced_changes;

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

/// A page cache as slow as where the host must bring memory back, and a device that can become slow, too, on a clock of
/// their own. What is written back is on the device at once.
class slow_machine final : public detail::os::interceptor {
 public:
  slow_machine() : replaced_{detail::os::intercept(this)} {}
  slow_machine(const slow_machine&) = delete;
  slow_machine& operator=(const slow_machine&) = delete;
  ~slow_machine() override { detail::os::intercept(replaced_); }

  /// `rate`: bytes per second of direct writes from now on; 2e9 at first.
  void slow_the_device(double rate) noexcept { device_ = rate; }
  [[nodiscard]] double now() const noexcept { return clock_.now(); }

  std::error_code before(detail::os::intercepted_call& next) override {
    constexpr double page_cache = 200e6;
    if (next.kind == call::set_direct) direct_ = !direct_;
    if (next.kind == call::status) ::fdatasync(next.descriptor);
    const bool is_direct = next.kind == call::submit_write || (next.kind == call::write_at && direct_);
    if (is_direct || next.kind == call::write_at)
      clock_.advance(static_cast<double>(next.length) / (is_direct ? device_.load() : page_cache));
    return {};
  }

 private:
  test::simulated_clock clock_;
  std::atomic<bool> direct_{false};
  std::atomic<double> device_{2e9};
  detail::os::interceptor* replaced_;
};

/// The calls that move or sync bytes, in their order.
class call_order final : public detail::os::interceptor {
 public:
  call_order() : replaced_{detail::os::intercept(this)} {}
  ~call_order() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    const std::lock_guard lock{mutex_};
    calls_.push_back(next.kind);
    return {};
  }
  [[nodiscard]] std::vector<call> calls() const {
    const std::lock_guard lock{mutex_};
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<call> calls_;
  detail::os::interceptor* replaced_;
};

/// A system that refuses direct I/O: one kind of its calls, from the `first` one on. If that is not a queue's, there
/// are no queues.
class refusing_system final : public detail::os::interceptor {
 public:
  refusing_system(call refused, unsigned first, std::errc why)
      : refused_{refused}, left_{first - 1}, why_{why}, replaced_{detail::os::intercept(this)} {}
  refusing_system(const refusing_system&) = delete;
  refusing_system& operator=(const refusing_system&) = delete;
  ~refusing_system() override { detail::os::intercept(replaced_); }
  [[nodiscard]] bool has_refused() const { return has_refused_; }

  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind == call::queue_setup && refused_ == call::write_at)
      return std::make_error_code(std::errc::operation_not_permitted);
    const bool turns_on = next.kind == call::set_direct && !direct_;
    const bool is_direct = turns_on || next.kind == call::submit_write || (next.kind == call::write_at && direct_);
    if (next.kind == refused_ && is_direct && (left_ == 0 || left_-- == 0)) {
      has_refused_ = true;
      return std::make_error_code(why_);
    }
    if (next.kind == call::set_direct) direct_ = turns_on;
    return {};
  }

 private:
  const call refused_;
  unsigned left_;
  const std::errc why_;
  bool direct_ = false;
  bool has_refused_ = false;
  detail::os::interceptor* replaced_;
};

class adaptive : public testing::Test {
 protected:
  void SetUp() override {
    detail::shared_device::forget_all();
    if (!test::can_change(directory_.path())) GTEST_SKIP() << "nothing here writes past the cache";
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

TEST_F(adaptive, has_what_the_page_cache_holds_on_the_device_before_it_writes_past_it) {
  const test::forced_changes force{test::at_each_block};
  const call_order order;
  writer out{path_, {.method = "adaptive", .block = 64 * KiB}};
  write(out, MiB);
  out.close();
  bool is_clean = false;
  for (const call each : order.calls()) {
    is_clean = is_clean || each == call::wait_writeback;
    EXPECT_TRUE(is_clean || each != call::submit_write);
  }
}

TEST_F(adaptive, reports_what_was_lost_when_it_was_written_back) {
  const test::forced_changes force{test::at_each_block};
  fault_injection faults;
  faults.fail_always(call::wait_writeback, std::errc::io_error);
  writer out{path_, {.method = "adaptive", .block = 64 * KiB}};
  std::error_code error;
  for (int i = 0; i < 10 && !error; ++i) out.write(std::string(100'000, 'x'), error);
  EXPECT_EQ(error, std::errc::io_error);
  EXPECT_EQ(out.last_error(), std::errc::io_error);
  std::error_code again;
  out.close(again);
  EXPECT_EQ(again, std::errc::io_error);
}

TEST_F(adaptive, goes_on_through_the_page_cache_where_direct_io_is_refused) {
  for (const call refused : {call::set_direct, call::write_at, call::submit_write})
    for (const std::errc why : {std::errc::invalid_argument, std::errc::operation_not_supported})
      for (const unsigned first : {1U, 2U, 5U})
        for (const std::size_t longest : {70'000U, 1'000'000U}) {
          SCOPED_TRACE(testing::Message() << "call " << static_cast<int>(refused) << ", " << first << ". one, "
                                          << std::make_error_code(why).message() << ", pieces of " << longest);
          const test::forced_changes force;
          const refusing_system refusing{refused, first, why};
          writer out{path_, {.method = "adaptive", .block = 64 * KiB}};
          write(out, 3 * MiB + 12'345, longest);
          out.close();
          test::expect_prefix(path_, 3 * MiB + 12'345);
          const file_statistics statistics = out.statistics();
          if (!refusing.has_refused()) continue;
          ASSERT_FALSE(statistics.changes.empty());
          EXPECT_EQ(statistics.changes.back().to, "buffered") << describe(statistics);
          EXPECT_EQ(statistics.changes.back().reason, "the system refused direct I/O") << describe(statistics);
        }
}

TEST_F(adaptive, goes_on_where_the_way_of_the_last_file_is_refused) {
  std::error_code error;
  const auto place = detail::os::file::open_existing(directory_.path(), error);
  auto* const device = detail::shared_device::find(place.status(error).device);
  ASSERT_NE(device, nullptr);
  for (const call refused : {call::set_direct, call::write_at, call::submit_write}) {
    SCOPED_TRACE(static_cast<int>(refused));
    device->keep_way(detail::way::direct);
    const refusing_system refusing{refused, 1, std::errc::invalid_argument};
    writer out{path_};
    write(out, 20 * MiB, MiB);
    out.close();
    test::expect_prefix(path_, 20 * MiB);
    EXPECT_TRUE(!refusing.has_refused() || device->last_way() == detail::way::cached);
  }
}

TEST_F(adaptive, reports_a_refusal_of_what_the_program_named) {
  const refusing_system refusing{call::write_at, 1, std::errc::invalid_argument};
  writer out{path_, {.method = "direct", .block = 64 * KiB}};
  std::error_code failure;
  out.write(std::string(MiB, 'x'), failure);
  if (!failure) out.close(failure);
  EXPECT_EQ(failure, std::errc::invalid_argument);
}

TEST_F(adaptive, leaves_a_slow_page_cache_by_itself) {
  const slow_machine slow;
  writer out{path_};
  write(out, 96 * MiB, MiB);
  const file_statistics statistics = out.statistics();
  ASSERT_GE(statistics.all_changes, 1U) << describe(statistics);
  EXPECT_EQ(statistics.changes[0].from, "buffered");
  EXPECT_FALSE(statistics.changes[0].reason.empty());
  EXPECT_GE(statistics.changes[0].offset, 16 * MiB);
  EXPECT_EQ(out.method(), statistics.changes.back().to);
  out.close();
  test::expect_prefix(path_, 96 * MiB);
  EXPECT_EQ(out.statistics().all_changes, statistics.all_changes);
}

TEST_F(adaptive, leaves_a_device_whose_latency_jumps) {
  slow_machine machine;
  writer out{path_};
  const double begin = machine.now();
  write(out, 96 * MiB, MiB);
  ASSERT_NE(out.method(), "buffered") << describe(out.statistics());
  machine.slow_the_device(20e6);
  write(out, 192 * MiB, MiB);
  const double seconds = machine.now() - begin;
  EXPECT_EQ(out.method(), "buffered") << describe(out.statistics());
  EXPECT_LE(static_cast<double>(out.statistics().all_changes), 10 + seconds) << describe(out.statistics());
  out.close();
  test::expect_prefix(path_, 288 * MiB);
}

TEST_F(adaptive, stays_where_files_are_in_memory_only) {
  const test::temporary_directory in_memory{test::memory_place()};
  std::error_code error;
  const auto place = detail::os::file::open_existing(in_memory.path(), error);
  if (error || !detail::os::is_in_memory(place)) GTEST_SKIP() << "the tests have no directory in memory";
  const slow_machine machine;
  writer out{in_memory / "file"};
  write(out, 40 * MiB, MiB);
  EXPECT_EQ(out.statistics().all_changes, 0U) << describe(out.statistics());
  out.close();
  test::expect_prefix(in_memory / "file", 40 * MiB);
}

TEST_F(adaptive, begins_with_what_the_last_file_ended_with) {
  const slow_machine slow;
  writer first{path_};
  write(first, 64 * MiB, MiB);
  const std::string found{first.method()};
  EXPECT_NE(found, "buffered");
  first.close();
  writer second{path_};
  write(second, 16 * MiB, MiB);
  second.close();
  EXPECT_EQ(second.statistics().methods.at(0).method, found) << describe(second.statistics());
}

TEST_F(adaptive, makes_the_same_calls_as_buffered_below_16_mib) {
  const auto calls = [&](std::string_view method) {
    const call_order order;
    writer out{path_, {.method = method}};
    write(out, 15 * MiB, MiB);
    out.close();
    return order.calls().size();
  };
  const std::size_t usual = calls("buffered");
  std::filesystem::remove(path_);
  EXPECT_EQ(calls("adaptive"), usual);
}

TEST_F(adaptive, stays_with_a_method_that_is_named) {
  const slow_machine slow;
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
