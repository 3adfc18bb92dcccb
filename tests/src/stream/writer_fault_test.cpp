// Makes every call of a writer fail, be interrupted or transfer too little, one after another. Errors must be reported
// and kept, and the file must contain exactly written_bytes() bytes.
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::fault_injection;

constexpr std::size_t block = 64 << 10;
constexpr int last_call = static_cast<int>(call::wait);

// Calls whose failure is not a failure of writing: hints, registrations that only save time, and inspections.
bool is_best_effort(call kind) {
  return kind == call::register_buffers || kind == call::register_file || kind == call::remove ||
         kind == call::status || kind == call::advise;
}

bool moves_bytes(call kind) {
  return kind == call::write || kind == call::write_at || kind == call::write_dontcache || kind == call::submit_write;
}

bool any_call(call /*kind*/) { return true; }

// A failure to make the name durable cannot remove the name again.
bool may_end_a_hidden_file(call kind) { return kind != call::sync_directory && kind != call::close; }

struct outcome {
  std::optional<writer> out;
  std::error_code reported;    // the first error that any call reported
  std::uint64_t accepted = 0;  // bytes given to the writer until then
};

// Writes large pieces and small ones, with flushes in between, until everything is written or an error occurs.
class scenario {
 public:
  scenario(const std::filesystem::path& path, const writer_options& options) {
    writer opened{path, options, result_.reported};
    if (!result_.reported) result_.out.emplace(std::move(opened));
  }

  outcome run() && {
    if (!result_.out) return std::move(result_);
    for (const std::size_t length : {4 * block, std::size_t{10}, 3 * block + 5, std::size_t{90}, block, 2 * block - 1})
      write(length);
    step([](writer& out, std::error_code& failure) { out.flush(failure); });
    for (int i = 0; i < 40; ++i) write(5000);
    step([](writer& out, std::error_code& failure) { out.sync(failure); });
    write(5 * block + 123);
    step([](writer& out, std::error_code& failure) { out.close(failure); });
    return std::move(result_);
  }

 private:
  template <typename Step>
  void step(Step make) {
    std::error_code failure;
    make(*result_.out, failure);
    if (!result_.reported) result_.reported = failure;
    // The first error sticks.
    if (result_.out->last_error()) {
      EXPECT_EQ(result_.reported, result_.out->last_error());
      EXPECT_EQ(failure, result_.reported);
    }
  }
  void write(std::size_t length) {
    // Aligned, so that direct I/O can write large pieces without a copy.
    constexpr std::align_val_t page{4096};
    const auto release = [](char* bytes) { ::operator delete(bytes, page); };
    const std::unique_ptr<char, decltype(release)> memory{static_cast<char*>(::operator new(length, page)), release};
    test::bytes_from(result_.accepted, length).copy(memory.get(), length);
    if (!result_.reported) result_.accepted += length;
    step([&](writer& out, std::error_code& failure) { out.write(std::string_view{memory.get(), length}, failure); });
  }

  outcome result_;
};

class writer_fault : public testing::TestWithParam<std::tuple<test::way, durability>> {
 protected:
  void SetUp() override {
    const auto& method = std::get<0>(GetParam()).method;
    if (const auto reason = test::why_not(method, directory_.path()); !reason.empty())
      GTEST_SKIP() << method << ": " << reason;
    options_ = std::get<0>(GetParam()).options(block);
    options_.durability = std::get<1>(GetParam());
    options_.reserve = 300'000;
    // Calls whose results the process remembers for later writers must not be counted.
    std::ignore = scenario{path_, options_}.run();
    std::filesystem::remove(path_);
  }

  [[nodiscard]] bool is_direct() const {
    return detail::find_method(options_.method)->direct || options_.method == "adaptive";
  }

  // Runs the scenario with the faults that `arrange` sets, and checks everything that must always hold.
  template <typename Arrange>
  std::error_code run(Arrange arrange, std::uint64_t seed = 1) {
    outcome result;
    {
      fault_injection faults{seed};
      arrange(faults);
      result = scenario{path_, options_}.run();
      counts_ = count(faults);
    }
    if (result.out) {
      const auto written = result.out->written_bytes();
      EXPECT_LE(written, result.accepted);
      EXPECT_LE(result.out->durable_bytes(), written);
      if (!result.reported) {
        EXPECT_EQ(written, result.accepted);
      }
      if ((options_.atomic || options_.hidden_until_closed) && result.reported)
        EXPECT_FALSE(std::filesystem::exists(path_));
      else
        test::expect_prefix(path_, written);
    }
    result.out.reset();
    EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
    EXPECT_LE(test::entries_in(directory_.path()), 1U);
    std::filesystem::remove(path_);
    EXPECT_EQ(test::entries_in(directory_.path()), 0U) << "something was left behind";
    return result.reported;
  }

  using call_counts = std::array<std::uint64_t, last_call + 1>;
  static call_counts count(const fault_injection& faults) {
    call_counts counts{};
    for (int kind = 0; kind <= last_call; ++kind)
      counts[static_cast<std::size_t>(kind)] = faults.count(static_cast<call>(kind));
    return counts;
  }

  // Calls `inject` for some calls of each kind that `concerns` names in a run without faults: the first two, the last
  // and some between. These are a sample, unless the tests run completely, since each takes the time of writing a file.
  template <typename Concerns, typename Inject>
  void for_calls(Concerns concerns, Inject inject) {
    EXPECT_FALSE(run([](fault_injection&) {}));
    const auto clean = counts_;
    // Waiting for the device takes most of the time.
    const std::uint64_t samples = options_.durability == durability::none ? 5 : 2;
    std::vector<std::pair<call, std::uint64_t>> points;
    for (int kind = 0; kind <= last_call; ++kind) {
      if (!concerns(static_cast<call>(kind))) continue;
      const auto all = clean[static_cast<std::size_t>(kind)];
      for (std::uint64_t n = 1; n <= all; n = n == all ? n + 1 : std::min(n + 1 + (n == 1 ? 0 : all / samples), all))
        points.emplace_back(static_cast<call>(kind), n);
    }
    ASSERT_FALSE(points.empty()) << "there was no such call";
    for (const auto& [kind, n] : test::sample(points, 12)) {
      SCOPED_TRACE("call kind " + std::to_string(static_cast<int>(kind)) + ", number " + std::to_string(n) + " of " +
                   std::to_string(clean[static_cast<std::size_t>(kind)]));
      inject(kind, n);
      if (HasFailure()) return;
    }
  }

  test::temporary_directory directory_ = test::directory_for(std::get<0>(GetParam()).method);
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_;
  call_counts counts_{};
};

TEST_P(writer_fault, interruptions_are_finished) {
  for_calls(any_call, [&](call kind, std::uint64_t n) {
    EXPECT_FALSE(run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::interrupted); }));
  });
}

// Of the methods that hand the kernel bytes; mmap() does not.
class writer_transfer_fault : public writer_fault {};

TEST_P(writer_transfer_fault, short_writes_are_finished) {
  // Direct I/O writes only whole pages; everything else may stop anywhere.
  const std::size_t length = is_direct() ? 4096 : 777;
  for_calls(moves_bytes, [&](call kind, std::uint64_t n) {
    EXPECT_FALSE(run([&](fault_injection& faults) { faults.shorten(kind, n, length); }));
  });
}

TEST_P(writer_fault, failures_are_reported_and_stick) {
  for (const auto why : {std::errc::no_space_on_device, std::errc::io_error}) {
    for_calls(any_call, [&](call kind, std::uint64_t n) {
      const auto reported = run([&](fault_injection& faults) { faults.fail(kind, n, why); });
      // The first of these only finds out whether the call is supported.
      const bool is_probe = (kind == call::write_dontcache || kind == call::map) && n == 1;
      const bool must_be = !is_best_effort(kind) && !is_probe && counts_[static_cast<std::size_t>(kind)] >= n;
      EXPECT_TRUE(reported == why || (!reported && !must_be)) << reported.message();
    });
  }
}

TEST_P(writer_fault, all_that_fails_from_some_call_on_is_reported) {
  const auto concerns = [](call kind) { return moves_bytes(kind) || kind == call::sync_data; };
  for_calls(concerns, [&](call kind, std::uint64_t n) {
    const auto reported =
        run([&](fault_injection& faults) { faults.fail(kind, n, test::fault::ever, std::errc::io_error); });
    const bool is_probe = kind == call::write_dontcache && n == 1;
    // A method that changes at random makes other calls each time.
    const bool was_made = counts_[static_cast<std::size_t>(kind)] >= n;
    EXPECT_TRUE(reported == std::errc::io_error || is_probe || !was_made) << reported.message();
  });
}

class writer_queue_fault : public writer_fault {};

TEST_P(writer_queue_fault, a_queue_that_cannot_be_made_is_reported) {
  // A queue that failed is not kept, so that the next writer has to make one.
  EXPECT_TRUE(run([](fault_injection& faults) { faults.fail(call::wait, 1, std::errc::io_error); }));
  EXPECT_EQ(run([](fault_injection& faults) { faults.fail(call::queue_setup, 1, std::errc::no_space_on_device); }),
            std::errc::no_space_on_device);
}

TEST_P(writer_queue_fault, a_shortage_of_queues_loses_nothing) {
  for (const auto why :
       {std::errc::not_enough_memory, std::errc::resource_unavailable_try_again, std::errc::too_many_files_open}) {
    // Leaves no idle queue, so that the next writer has to make one.
    EXPECT_TRUE(run([](fault_injection& faults) { faults.fail(call::wait, 1, std::errc::io_error); }));
    const auto reported = run([&](fault_injection& faults) { faults.fail_always(call::queue_setup, why); });
    EXPECT_FALSE(reported) << reported.message();
  }
}

TEST_P(writer_fault, a_failed_sync_is_final) {
  for_calls([](call kind) { return kind == call::sync_data; },
            [&](call kind, std::uint64_t n) {
              run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::io_error); });
              EXPECT_EQ(counts_[static_cast<std::size_t>(kind)], n) << "was tried again";
              EXPECT_EQ(counts_[static_cast<std::size_t>(call::sync_file)], 0U);
            });
}

TEST_P(writer_fault, an_atomic_file_is_whole_or_not_there) {
  options_.atomic = true;
  for_calls(may_end_a_hidden_file, [&](call kind, std::uint64_t n) {
    run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::io_error); });
  });
}

TEST_P(writer_fault, a_hidden_file_is_whole_or_not_there) {
  options_.hidden_until_closed = true;
  for_calls(may_end_a_hidden_file, [&](call kind, std::uint64_t n) {
    run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::io_error); });
  });
}

TEST_P(writer_fault, interruptions_and_short_writes_at_random) {
  for (const std::uint64_t seed : test::sample(test::numbers_to(8), 2)) {
    SCOPED_TRACE(seed);
    const auto reported = run(
        [&](fault_injection& faults) {
          for (int kind = 0; kind <= last_call; ++kind)
            faults.fail_sometimes(static_cast<call>(kind), 0.2, std::errc::interrupted);
          for (const auto kind : {call::write, call::write_at, call::write_dontcache, call::submit_write})
            faults.shorten_sometimes(kind, 0.5, is_direct() ? 4096 : 1);
        },
        seed);
    EXPECT_FALSE(reported) << reported.message();
    if (HasFailure()) return;
  }
}

// Refused writes end at once and in reverse order, while others are still in flight.
TEST_P(writer_fault, anything_at_random) {
  options_.depth = 8;
  for (const std::uint64_t seed : test::sample(test::numbers_to(16), 4)) {
    SCOPED_TRACE(seed);
    options_.block = seed % 2 == 0 ? 4096 : block;
    run(
        [&](fault_injection& faults) {
          for (int kind = 0; kind <= last_call; ++kind)
            faults.fail_sometimes(static_cast<call>(kind), 0.1, std::errc::interrupted);
          for (const auto kind : {call::write, call::write_at, call::write_dontcache, call::submit_write}) {
            faults.shorten_sometimes(kind, 0.2, is_direct() ? 4096 : 1);
            faults.fail_sometimes(kind, 0.03, seed % 3 == 0 ? std::errc::no_space_on_device : std::errc::io_error);
          }
          for (const auto kind : {call::preallocate, call::map, call::sync_data, call::submit, call::wait})
            faults.fail_sometimes(kind, 0.02, std::errc::io_error);
        },
        seed);
    if (HasFailure()) return;
  }
}

std::string name_of(const testing::TestParamInfo<writer_fault::ParamType>& info) {
  const char* const names[] = {"none", "at_close", "each_write"};
  return std::get<0>(info.param).name() + "_" + names[static_cast<int>(std::get<1>(info.param))];
}

std::vector<test::way> transferring_ways() {
  auto ways = test::all_ways();
  std::erase_if(ways, [](const test::way& each) { return each.method == "mmap"; });
  return ways;
}

const auto all_durabilities = testing::Values(durability::none, durability::at_close, durability::each_write);

INSTANTIATE_TEST_SUITE_P(all, writer_fault, testing::Combine(testing::ValuesIn(test::all_ways()), all_durabilities),
                         name_of);
INSTANTIATE_TEST_SUITE_P(all, writer_transfer_fault,
                         testing::Combine(testing::ValuesIn(transferring_ways()), all_durabilities), name_of);
INSTANTIATE_TEST_SUITE_P(all, writer_queue_fault,
                         testing::Combine(testing::ValuesIn(test::queued_ways()), all_durabilities), name_of);

}  // namespace
}  // namespace freshet
