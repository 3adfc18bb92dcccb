// A reader whose method changes while it reads: the bytes, what it leaves in the page cache, and when it changes.
#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "src/method/prior.hpp"
#include "src/method/registry.hpp"
#include "src/method/residency_map.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/simulated_clock.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using detail::residence;
using detail::os::call;
using test::fault_injection;

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

/// A machine on which reads take as long as these rates say, in bytes per second, on a clock of its own.
class machine_with_rates final : public detail::os::interceptor {
 public:
  machine_with_rates(double cached, double direct)
      : cached_{cached}, direct_{direct}, replaced_{detail::os::intercept(this)} {
    detail::forget_priors();
  }
  machine_with_rates(const machine_with_rates&) = delete;
  machine_with_rates& operator=(const machine_with_rates&) = delete;
  ~machine_with_rates() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind == call::set_direct) is_direct_ = !is_direct_;
    const double rate = next.kind == call::submit_read || is_direct_ ? direct_ : cached_;
    if (next.kind == call::read_at || next.kind == call::submit_read)
      clock_.advance(static_cast<double>(next.length) / rate);
    return {};
  }

 private:
  test::simulated_clock clock_;
  double cached_;
  double direct_;
  std::atomic<bool> is_direct_{false};
  detail::os::interceptor* replaced_;
};

class adaptive_reading : public testing::Test {
 protected:
  /// Makes a file of which the page cache holds exactly the parts of 1 MiB that `is_cached` names.
  template <typename Predicate>
  void make_file(std::size_t length, Predicate is_cached) {
    test::make_file(path_, length);
    std::error_code error;
    auto file = detail::os::file::open_existing(path_, error);
    file.sync(error);
    file.advise(detail::os::advice::dont_need, 0, 0, error);
    if (file.cached(error).cached != 0) GTEST_SKIP() << "the file stays in the page cache here";
    if (!is_direct_possible()) GTEST_SKIP() << "nothing here reads past the page cache";
    file.advise(detail::os::advice::random, 0, 0, error);
    std::vector<std::byte> part(MiB);
    for (std::size_t offset = 0; offset < length; offset += MiB)
      if (is_cached(offset / MiB)) file.read_at(part, offset, error);
    cached_before_ = cached_pages();
  }

  bool is_direct_possible() { return test::why_not("direct", directory_.path()).empty(); }

  std::uint64_t cached_pages() {
    std::error_code error;
    return detail::os::file::open_existing(path_, error).cached(error).cached;
  }

  /// Reads all of the file and checks its bytes.
  static void read_all(reader& in) {
    std::uint64_t offset = 0;
    for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
      ASSERT_TRUE(test::belongs_at(offset, bytes)) << "at " << offset;
      offset += bytes.size();
      in.advance(bytes.size());
    }
    EXPECT_EQ(offset, in.size());
  }

  /// The bytes that came by a method, of all that were read.
  static std::uint64_t share_of(const file_statistics& statistics, bool direct) {
    std::uint64_t bytes = 0;
    for (const method_share& each : statistics.methods)
      if (detail::find_method(each.method)->direct == direct) bytes += each.bytes;
    return bytes;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  std::uint64_t cached_before_ = 0;
};

TEST_F(adaptive_reading, finds_where_each_part_of_a_file_is) {
  const auto is_cached = [](std::size_t part) { return part < 5 || part == 20 || part >= 33; };
  make_file(40 * MiB + 5000, is_cached);
  if (IsSkipped()) return;
  std::error_code error;
  const auto file = detail::os::file::open_existing(path_, error);
  detail::residency_map map{file, 40 * MiB + 5000};
  for (std::size_t part = 0; part < 40; ++part) {
    const auto run = map.at(part * MiB + 4096);
    EXPECT_EQ(run.where, is_cached(part) ? residence::cached : residence::absent) << part;
    EXPECT_GE(run.end, (part + 1) * MiB);
  }
  EXPECT_EQ(map.at(7 * MiB).where, residence::absent) << "after a seek back";
  EXPECT_EQ(map.at(20 * MiB).where, residence::cached);
  EXPECT_LE(map.at(20 * MiB).end, 21 * MiB);
}

TEST_F(adaptive_reading, does_not_know_what_the_kernel_does_not_tell) {
  test::make_file(path_, 20 * MiB);
  std::error_code error;
  const auto file = detail::os::file::open_existing(path_, error);
  fault_injection faults;
  faults.fail_always(call::status, std::errc::io_error);
  detail::residency_map map{file, 20 * MiB};
  EXPECT_EQ(map.at(0).where, residence::unknown);
  EXPECT_EQ(map.at(19 * MiB).where, residence::unknown);
  EXPECT_EQ(faults.count(call::status), 1U);
}

TEST_F(adaptive_reading, reads_half_from_memory_what_is_half_in_memory) {
  const std::vector<bool (*)(std::size_t)> patterns{[](std::size_t part) { return part < 16; },
                                                    [](std::size_t part) { return part >= 16; },
                                                    [](std::size_t part) { return part % 2 == 1; }};
  for (const auto& is_cached : patterns) {
    make_file(32 * MiB, is_cached);
    if (IsSkipped()) return;
    const machine_with_rates machine{300e6, 3e9};
    reader in{path_};
    read_all(in);
    const file_statistics statistics = in.statistics();
    // What is not in memory is read directly and stays out of the page cache, but for what shows that it is slow, and
    // what the kernel reads ahead of that.
    EXPECT_NEAR(static_cast<double>(share_of(statistics, true)), 13.5 * MiB, 1.5 * MiB) << describe(statistics);
    EXPECT_LE(cached_pages() * detail::os::page_size(), cached_before_ * detail::os::page_size() + 8 * MiB)
        << describe(statistics);
    EXPECT_EQ(statistics.bytes, 32 * MiB);
  }
}

TEST_F(adaptive_reading, reads_what_is_in_memory_through_the_page_cache) {
  make_file(32 * MiB, [](std::size_t) { return true; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  reader in{path_};
  read_all(in);
  EXPECT_EQ(share_of(in.statistics(), true), 0U) << describe(in.statistics());
  EXPECT_EQ(in.method(), "buffered");
  EXPECT_EQ(in.statistics().all_changes, 0U);
}

TEST_F(adaptive_reading, leaves_slow_memory) {
  make_file(48 * MiB, [](std::size_t) { return false; });
  if (IsSkipped()) return;
  const machine_with_rates at_rest{100e6, 1e9};
  reader in{path_};
  read_all(in);
  const file_statistics statistics = in.statistics();
  ASSERT_EQ(statistics.all_changes, 1U) << describe(statistics);
  EXPECT_EQ(statistics.changes[0].from, "buffered");
  EXPECT_LE(statistics.changes[0].offset, 4 * MiB);
  EXPECT_TRUE(detail::find_method(in.method())->direct);
  in.close();
  EXPECT_EQ(in.statistics().all_changes, statistics.all_changes);
}

TEST_F(adaptive_reading, reads_the_first_bytes_after_a_seek_through_the_page_cache) {
  make_file(48 * MiB, [](std::size_t) { return false; });
  if (IsSkipped()) return;
  const machine_with_rates at_rest{100e6, 1e9};
  reader in{path_};
  EXPECT_EQ(in.view(8 * MiB).size(), 8 * MiB);
  EXPECT_TRUE(detail::find_method(in.method())->direct);
  in.seek(20 * MiB);
  EXPECT_EQ(in.view(5).size(), 5U);
  EXPECT_EQ(in.method(), "buffered");
  EXPECT_EQ(in.view(16 * MiB).size(), 16 * MiB);
  EXPECT_TRUE(detail::find_method(in.method())->direct);
}

TEST_F(adaptive_reading, returns_from_a_device_that_is_slow) {
  make_file(64 * MiB, [](std::size_t) { return false; });
  if (IsSkipped()) return;
  const machine_with_rates slow_device{400e6, 50e6};
  reader in{path_};
  read_all(in);
  EXPECT_EQ(in.method(), "buffered") << describe(in.statistics());
  ASSERT_GE(in.statistics().all_changes, 2U) << describe(in.statistics());
  EXPECT_LT(share_of(in.statistics(), true), 8 * MiB) << describe(in.statistics());
}

TEST_F(adaptive_reading, makes_the_same_calls_as_buffered_below_16_mib) {
  test::make_file(path_, 16 * MiB - 1);
  const auto calls = [&](std::string_view method) {
    const fault_injection watch;
    reader in{path_, {.method = method}};
    read_all(in);
    in.close();
    std::vector<std::uint64_t> counts;
    for (auto kind = std::size_t{0}; kind <= static_cast<std::size_t>(call::wait); ++kind)
      counts.push_back(watch.count(static_cast<call>(kind)));
    return counts;
  };
  const auto usual = calls("auto");
  EXPECT_EQ(usual[static_cast<std::size_t>(call::status)], 2U) << "one is this test's own";
  EXPECT_EQ(usual[static_cast<std::size_t>(call::read_at)], 1U + 64U + 1U) << "the first 64 KiB, the rest, the end";
  EXPECT_EQ(usual[static_cast<std::size_t>(call::set_direct)], 0U);
}

TEST_F(adaptive_reading, finds_every_byte_if_it_changes_after_each_block_and_after_seeks) {
  make_file(24 * MiB + 12'345, [](std::size_t part) { return part % 3 == 0; });
  if (IsSkipped()) return;
  for (bool (*const decide)() noexcept : {test::at_each_block, test::at_random}) {
    const test::forced_changes force{decide};
    std::uint64_t changes = 0;
    for (const std::size_t block : {std::size_t{0}, std::size_t{4096}, 64 * KiB}) {
      reader in{path_, {.block = block}};
      read_all(in);
      changes += in.statistics().all_changes;
      std::minstd_rand random{7};
      std::string bytes;
      for (int i = 0; i < 50; ++i) {
        const std::uint64_t offset = random() % (24 * MiB);
        in.seek(offset);
        bytes.resize(1 + random() % 300'000);
        ASSERT_EQ(in.read(bytes), std::min<std::uint64_t>(bytes.size(), in.size() - offset));
        ASSERT_TRUE(test::belongs_at(offset, std::as_bytes(std::span{bytes}).first(in.tell() - offset)));
      }
    }
    EXPECT_GT(changes, 3U) << "in three readings of the whole file";
  }
}

TEST_F(adaptive_reading, reads_at_any_place_of_a_file_that_is_partly_in_memory) {
  make_file(40 * MiB, [](std::size_t part) { return part % 4 < 2; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  reader in{path_};
  std::minstd_rand random{static_cast<std::minstd_rand::result_type>(test::sample_seed() % 1'000'000'007 + 1)};
  std::string bytes;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t offset = random() % (40 * MiB);
    in.seek(offset);
    bytes.resize(1 + random() % 3'000'000);
    const std::size_t got = in.read(bytes);
    ASSERT_EQ(got, std::min<std::uint64_t>(bytes.size(), 40 * MiB - offset)) << "seed " << test::sample_seed();
    ASSERT_TRUE(test::belongs_at(offset, std::as_bytes(std::span{bytes}).first(got))) << "seed " << test::sample_seed();
  }
}

TEST_F(adaptive_reading, reads_what_a_file_grows_by_and_reports_what_it_loses) {
  make_file(20 * MiB, [](std::size_t part) { return part < 10; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  reader in{path_};
  in.skip(20 * MiB);
  EXPECT_EQ(in.peek(), reader::end_of_file);
  test::grow_file(path_, 22 * MiB + 77);
  EXPECT_TRUE(test::belongs_at(20 * MiB, in.view(2 * MiB + 77)));
  in.seek(12 * MiB);
  EXPECT_TRUE(test::belongs_at(12 * MiB, in.view(100)));
  std::filesystem::resize_file(path_, 13 * MiB);
  std::error_code error;
  while (!error && !in.available(error).empty()) in.advance(in.available().size());
  EXPECT_EQ(error, std::errc::io_error);
}

TEST_F(adaptive_reading, goes_on_in_the_child_of_a_fork) {
  make_file(64 * MiB, [](std::size_t part) { return part % 2 == 1; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  reader in{path_};
  ASSERT_TRUE(test::belongs_at(0, in.view(3 * MiB + 5)));
  const pid_t child = ::fork();
  const auto rest_is_right = [&] {
    std::uint64_t offset = in.tell();
    for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
      if (!test::belongs_at(offset, bytes)) return false;
      offset += bytes.size();
      in.advance(bytes.size());
    }
    return offset == 64 * MiB;
  };
  if (child == 0) {
    bool is_right = false;
    try {
      is_right = rest_is_right();
    } catch (const std::exception&) {  // it is not
    }
    ::_exit(is_right ? 0 : 1);
  }
  EXPECT_TRUE(rest_is_right());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(adaptive_reading, does_without_what_fails) {
  make_file(32 * MiB, [](std::size_t) { return false; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  for (const call kind : {call::set_direct, call::queue_setup, call::submit_read}) {
    fault_injection faults;
    faults.fail_sometimes(kind, 1, std::errc::invalid_argument);
    std::error_code error;
    reader in{path_};
    std::uint64_t offset = 0;
    for (auto bytes = in.available(error); !bytes.empty() && !error; bytes = in.available(error)) {
      ASSERT_TRUE(test::belongs_at(offset, bytes));
      offset += bytes.size();
      in.advance(bytes.size());
    }
    EXPECT_FALSE(error) << static_cast<int>(kind) << ": " << error.message();
    EXPECT_EQ(offset, 32 * MiB);
  }
}

TEST_F(adaptive_reading, stays_with_a_method_that_is_named) {
  make_file(20 * MiB, [](std::size_t) { return false; });
  if (IsSkipped()) return;
  const machine_with_rates machine{300e6, 3e9};
  reader in{path_, {.method = "buffered"}};
  read_all(in);
  const file_statistics statistics = in.statistics();
  EXPECT_EQ(statistics.all_changes, 0U);
  ASSERT_EQ(statistics.methods.size(), 1U);
  EXPECT_EQ(statistics.methods[0].method, "buffered");
  EXPECT_EQ(statistics.methods[0].bytes, 20 * MiB);
}

TEST_F(adaptive_reading, tells_what_streams_did) {
  ofstream out{path_};
  out << test::bytes_from(0, 3 * MiB);
  out.close();
  EXPECT_EQ(out.statistics().bytes, 3 * MiB);
  EXPECT_FALSE(out.statistics().methods.empty());
  ifstream in{path_};
  std::string bytes(MiB, '\0');
  in.read(bytes.data(), MiB);
  EXPECT_GE(in.statistics().bytes, MiB);
  in.close();
  ASSERT_EQ(in.statistics().methods.size(), 1U);
  EXPECT_EQ(in.statistics().methods[0].method, "buffered");
  ifstream moved{std::move(in)};
  EXPECT_GE(moved.statistics().bytes, MiB);
  fstream both{path_};
  both.write(bytes.data(), MiB);
  both.read(bytes.data(), MiB);
  both.close();
  EXPECT_GE(both.statistics().bytes, 2 * MiB);
  EXPECT_EQ(both.statistics().methods.size(), 1U) << "writing and reading together";
  EXPECT_EQ(ofstream{}.statistics().bytes, 0U);
}

// The environment is looked at once in a process, so this needs another one, which is to run that test even where this
// one runs in parts.
TEST_F(adaptive_reading, prints_a_line_for_each_file_if_asked) {
  const auto printed = [](const std::string& environment) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = environment + " GTEST_TOTAL_SHARDS=1 GTEST_SHARD_INDEX=0 '" + program +
                                "' --gtest_filter=adaptive_reading.tells_what_streams_did 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int next = std::fgetc(pipe); next != EOF; next = std::fgetc(pipe)) text += static_cast<char>(next);
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
  };
  const std::string text = printed("FRESHET_LOG=1");
  EXPECT_NE(text.find("freshet: wrote "), std::string::npos) << text;
  EXPECT_NE(text.find("freshet: read "), std::string::npos) << text;
  EXPECT_NE(text.find("; buffered "), std::string::npos) << text;
  EXPECT_EQ(printed("FRESHET_LOG=0").find("freshet: "), std::string::npos);
}

}  // namespace
}  // namespace freshet
