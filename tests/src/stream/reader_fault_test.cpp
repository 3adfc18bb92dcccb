// Makes every call of a reader fail, be interrupted or transfer too little, one after another. Errors must be reported
// and kept, and all bytes that the reader returns must be right.
#include <freshet/reader.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::belongs_at;
using test::fault_injection;
using testing::HasSubstr;

constexpr std::size_t block = 16 << 10;
constexpr std::size_t file_length = 40 * block + 1234;
constexpr int last_call = static_cast<int>(call::wait);

bool moves_bytes(call kind) { return kind == call::read || kind == call::read_at || kind == call::submit_read; }

bool any_call(call /*kind*/, std::uint64_t /*n*/) { return true; }

struct outcome {
  std::uint64_t delivered = 0;  // bytes, all of which were right
  std::optional<error> reported;
};

// Reads the whole file with every function that reads, then calls each once more, and closes.
class scenario {
 public:
  scenario(const std::filesystem::path& path, const reader_options& options) : path_{path}, options_{options} {}

  outcome run() {
    try {
      reader in{path_, options_};
      try {
        read_all(in);
      } catch (const error& first) {
        expect_to_stick(in, first);
        throw;
      }
      in.close();
    } catch (const error& first) {
      result_.reported.emplace(first);
    }
    return std::move(result_);
  }

 private:
  void read_all(reader& in) {
    std::string memory(3 * block, '\0');
    while (in.peek() != reader::end_of_file) {
      for (int i = 0; i < 10; ++i) deliver(in.get());
      deliver(in.view(1000));
      deliver(std::as_bytes(std::span{memory}).first(in.read(memory)));
      const auto some = in.available();
      deliver(some);
      in.skip(some.size());
      deliver(in.view(2 * block));
      EXPECT_EQ(in.tell(), result_.delivered);
    }
    EXPECT_EQ(in.tell(), file_length);
    in.seek(block + 5);
    EXPECT_TRUE(belongs_at(block + 5, in.view(100)));
  }

  void deliver(int byte) {
    const auto one = static_cast<std::byte>(byte);
    if (byte != reader::end_of_file) deliver({&one, 1});
  }
  void deliver(std::span<const std::byte> bytes) {
    EXPECT_TRUE(belongs_at(result_.delivered, bytes)) << "at " << result_.delivered;
    result_.delivered += bytes.size();
  }

  void expect_to_stick(reader& in, const error& first) const {
    EXPECT_EQ(in.last_error(), first.code());
    EXPECT_TRUE(in.is_open());
    EXPECT_EQ(in.tell(), first.offset());
    EXPECT_EQ(first.path(), path_);
    EXPECT_FALSE(first.operation().empty());
    const fault_injection watch;
    std::error_code again;
    EXPECT_EQ(in.get(again), reader::end_of_file);
    EXPECT_EQ(again, first.code());
    in.seek(0, again);
    EXPECT_EQ(again, first.code());
    EXPECT_TRUE(in.available(again).empty());
    EXPECT_EQ(again, first.code());
    EXPECT_EQ(watch.count(call::read) + watch.count(call::read_at) + watch.count(call::submit_read), 0U);
    in.close(again);
    EXPECT_EQ(again, first.code());
    EXPECT_FALSE(in.is_open());
  }

  std::filesystem::path path_;
  reader_options options_;
  outcome result_;
};

class reader_fault : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam(), directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
    test::make_file(path_, file_length);
    // Calls whose results the process remembers for later readers must not be counted.
    static_cast<void>(scenario{path_, options_}.run());
  }

  // Runs the scenario with the faults that `arrange` sets, and checks everything that must always hold.
  template <typename Arrange>
  outcome run(Arrange arrange, std::uint64_t seed = 1) {
    fault_injection faults{seed};
    arrange(faults);
    auto result = scenario{path_, options_}.run();
    for (int kind = 0; kind <= last_call; ++kind)
      counts_[static_cast<std::size_t>(kind)] = faults.count(static_cast<call>(kind));
    if (!result.reported) {
      EXPECT_EQ(result.delivered, file_length);
    }
    EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
    return result;
  }

  // Calls `inject` for each call that `concerns` names in a run without faults, or for a sample of them.
  template <typename Concerns, typename Inject>
  void for_calls(Concerns concerns, Inject inject) {
    EXPECT_FALSE(run([](fault_injection&) {}).reported);
    const auto clean = counts_;
    std::vector<std::pair<call, std::uint64_t>> points;
    for (int kind = 0; kind <= last_call; ++kind)
      for (std::uint64_t n = 1; n <= clean[static_cast<std::size_t>(kind)]; ++n)
        if (concerns(static_cast<call>(kind), n)) points.emplace_back(static_cast<call>(kind), n);
    ASSERT_FALSE(points.empty()) << "there was no such call";
    for (const auto& [kind, n] : test::sample(points, 25)) {
      SCOPED_TRACE("call kind " + std::to_string(static_cast<int>(kind)) + ", number " + std::to_string(n));
      inject(kind, n);
      if (HasFailure()) return;
    }
  }

  test::temporary_directory directory_ = test::directory_for(GetParam());
  std::filesystem::path path_ = directory_ / "file";
  reader_options options_{.method = GetParam(), .block = block, .depth = 3};
  std::array<std::uint64_t, last_call + 1> counts_{};
};

TEST_P(reader_fault, interruptions_are_finished) {
  for_calls(any_call, [&](call kind, std::uint64_t n) {
    EXPECT_FALSE(run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::interrupted); }).reported);
  });
}

// Of the methods that ask the kernel for bytes; mmap() does not, and a file that is cut short ends its program by a
// SIGBUS, as is documented.
class reader_transfer_fault : public reader_fault {};

TEST_P(reader_transfer_fault, short_reads_are_finished) {
  const auto concerns = [](call kind, std::uint64_t /*n*/) { return moves_bytes(kind); };
  for_calls(concerns, [&](call kind, std::uint64_t n) {
    for (const std::size_t length : {1U, 777U, 4096U})
      EXPECT_FALSE(run([&](fault_injection& faults) { faults.shorten(kind, n, length); }).reported);
  });
}

TEST_P(reader_fault, failures_are_reported_and_stick) {
  for_calls(any_call, [&](call kind, std::uint64_t n) {
    const auto result = run([&](fault_injection& faults) { faults.fail(kind, n, std::errc::io_error); });
    // Calls that read ahead, or only make reading faster, may be replaced or turn out not to be needed.
    const bool early = n < 20 && (kind == call::wait || kind == call::submit_read) && GetParam() != "adaptive";
    const bool is_probe = kind == call::map && n == 1;  // only finds out whether the call is supported
    const bool must_be =
        kind == call::open || kind == call::close || kind == call::read || (kind == call::map && !is_probe) || early;
    EXPECT_TRUE(result.reported || !must_be);
    if (result.reported) {
      EXPECT_EQ(result.reported->code(), std::errc::io_error);
    }
  });
}

TEST_P(reader_transfer_fault, all_that_fails_from_some_call_on_is_reported) {
  // Reads beyond the file's end are made ahead, and their results are never used.
  const auto concerns = [](call kind, std::uint64_t n) {
    return moves_bytes(kind) && (kind != call::submit_read || n <= file_length / block + 1);
  };
  for_calls(concerns, [&](call kind, std::uint64_t n) {
    const auto result =
        run([&](fault_injection& faults) { faults.fail(kind, n, test::fault::ever, std::errc::io_error); });
    // It may go on by another kind of call; then every byte was delivered.
    if (GetParam() == "adaptive" && !result.reported) return;
    ASSERT_TRUE(result.reported);
    EXPECT_EQ(result.reported->code(), std::errc::io_error);
    EXPECT_EQ(result.reported->operation(), "read");
    EXPECT_TRUE(result.delivered <= result.reported->offset() || result.delivered == file_length);
  });
}

TEST_P(reader_fault, anything_at_random) {
  for (const std::uint64_t seed : test::sample(test::numbers_to(40), 10)) {
    SCOPED_TRACE(seed);
    options_.depth = 1 + static_cast<unsigned>(seed % 5);
    run(
        [&](fault_injection& faults) {
          for (int kind = 0; kind <= last_call; ++kind)
            faults.fail_sometimes(static_cast<call>(kind), 0.1, std::errc::interrupted);
          for (const auto kind : {call::read, call::read_at, call::submit_read}) {
            faults.shorten_sometimes(kind, 0.3, seed % 2 == 0 ? 4096 : 1);
            faults.fail_sometimes(kind, 0.02, std::errc::io_error);
            faults.fail_sometimes(kind, 0.05, std::errc::invalid_argument);
          }
          faults.fail_sometimes(call::submit_read, 0.1, std::errc::operation_canceled);
          faults.fail_sometimes(call::submit_read, 0.1, std::errc::resource_unavailable_try_again);
          for (const auto kind : {call::map, call::submit, call::wait, call::set_direct})
            faults.fail_sometimes(kind, 0.02, std::errc::io_error);
        },
        seed);
    if (HasFailure()) return;
  }
}

TEST_P(reader_transfer_fault, a_file_that_was_cut_short_is_reported_with_the_offset) {
  for (const std::size_t length : {std::size_t{0}, std::size_t{70'000}, 20 * block}) {
    test::make_file(path_, file_length);
    reader in{path_, options_};
    EXPECT_TRUE(belongs_at(0, in.view(50'000)));
    std::filesystem::resize_file(path_, length);
    try {
      for (auto at = in.tell(); in.peek() != reader::end_of_file; ++at)
        ASSERT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(at)));
      ADD_FAILURE() << "not noticed";
    } catch (const error& caught) {
      EXPECT_THAT(caught.what(), HasSubstr("truncated"));
      EXPECT_EQ(caught.offset(), in.tell());
      EXPECT_GE(caught.offset(), length);
      EXPECT_LT(caught.offset(), file_length);
    }
  }
}

std::vector<std::string_view> transferring_methods() {
  auto methods = test::reading_methods;
  std::erase(methods, "mmap");
  return methods;
}

INSTANTIATE_TEST_SUITE_P(all, reader_fault, testing::ValuesIn(test::reading_methods),
                         [](const auto& which) { return std::string{which.param}; });
INSTANTIATE_TEST_SUITE_P(all, reader_transfer_fault, testing::ValuesIn(transferring_methods()),
                         [](const auto& which) { return std::string{which.param}; });

class reader_queue : public reader_fault {
 protected:
  // Leaves no idle queue, so that the next reader has to make one.
  void use_queues_up() {
    EXPECT_TRUE(run([](fault_injection& faults) { faults.fail(call::wait, 1, std::errc::io_error); }).reported);
  }
};

TEST_P(reader_queue, that_cannot_be_made_is_reported) {
  use_queues_up();
  const auto result =
      run([](fault_injection& faults) { faults.fail_always(call::queue_setup, std::errc::operation_not_permitted); });
  ASSERT_TRUE(result.reported);
  EXPECT_EQ(result.reported->code(), std::errc::operation_not_permitted);
}

TEST_P(reader_queue, that_is_not_to_be_had_at_the_moment_is_done_without) {
  for (const auto why :
       {std::errc::not_enough_memory, std::errc::resource_unavailable_try_again, std::errc::too_many_files_open}) {
    use_queues_up();
    EXPECT_FALSE(run([&](fault_injection& faults) { faults.fail_always(call::queue_setup, why); }).reported);
    EXPECT_EQ(counts_[static_cast<std::size_t>(call::submit_read)], 0U);
  }
  use_queues_up();
  fault_injection faults;
  faults.fail_always(call::queue_setup, std::errc::not_enough_memory);
  reader in{path_, options_};
  EXPECT_TRUE(belongs_at(0, in.view(100)));
  EXPECT_EQ(in.method(), "direct");
}

TEST_P(reader_queue, reads_ahead_and_each_block_once) {
  fault_injection watch;
  reader in{path_, options_};
  EXPECT_EQ(in.available().size(), block);
  EXPECT_EQ(watch.count(call::submit_read), 3U);
  while (in.peek() != reader::end_of_file) in.skip(in.available().size());
  std::uint64_t expected = 0;
  for (const auto& each : watch.seen(call::submit_read)) {
    if (expected >= file_length) break;
    EXPECT_EQ(each.offset, expected);
    EXPECT_EQ(each.length, block);
    expected += block;
  }
  EXPECT_GE(expected, file_length);
}

TEST_P(reader_queue, asks_for_one_block_only_after_a_seek) {
  reader in{path_, options_};
  EXPECT_TRUE(belongs_at(0, in.view(10)));
  const fault_injection watch;
  in.seek(20 * block);
  EXPECT_TRUE(belongs_at(20 * block, in.view(block)));
  EXPECT_EQ(watch.count(call::submit_read), 1U);
  EXPECT_TRUE(belongs_at(21 * block, in.view(block)));
  EXPECT_EQ(watch.count(call::submit_read), 3U);
}

INSTANTIATE_TEST_SUITE_P(all, reader_queue, testing::Values("uring"),
                         [](const auto& which) { return std::string{which.param}; });

class mapped_reader : public testing::Test {
 protected:
  mapped_reader() { test::make_file(path_, length); }

  static constexpr std::size_t length = (3 << 20) + 1234;
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

// By a limit of address space (ulimit -v).
TEST_F(mapped_reader, takes_smaller_windows_where_addresses_are_short) {
  reader in{path_, {.method = "mmap"}};
  fault_injection faults;
  faults.fail(call::map, 1, 10, std::errc::not_enough_memory);  // what is left of 1 GiB is 1 MiB
  EXPECT_TRUE(belongs_at(0, in.view(100)));
  in.seek(length - 50'000);
  EXPECT_TRUE(belongs_at(length - 50'000, in.view(50'000)));
  in.seek(1'000'000);
  EXPECT_TRUE(belongs_at(1'000'000, in.view(1'500'000)));
  EXPECT_GE(faults.count(call::map), 10 + 4U);
}

TEST_F(mapped_reader, reports_that_there_are_no_addresses) {
  reader in{path_, {.method = "mmap"}};
  fault_injection faults;
  faults.fail_always(call::map, std::errc::not_enough_memory);
  std::error_code failure;
  EXPECT_TRUE(in.view(100, failure).empty());
  EXPECT_EQ(failure, std::errc::not_enough_memory);
}

}  // namespace
}  // namespace freshet
