// What is known of a device before a file shows it.
#include "src/method/prior.hpp"

#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "src/method/registry.hpp"
#include "tests/src/method/machine_with_memory.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/openable.hpp"
#include "tests/support/simulated_clock.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::file_kind;
using detail::file_place;
using detail::leave_ways;
using detail::recall_ways;

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

measured_ways one_way(double seconds, double spread = 0.1, std::uint64_t bytes = 64 * MiB) {
  measured_ways ways;
  ways.kept = {seconds, spread, bytes};
  return ways;
}

class prior_table : public testing::Test {
 protected:
  void SetUp() override { detail::forget_priors(); }
  void TearDown() override { detail::forget_priors(); }
};

TEST_F(prior_table, has_for_each_place_what_files_left_there) {
  leave_ways({7, file_kind::written}, one_way(5e-10, 0.25));
  leave_ways({7, file_kind::read}, one_way(3e-9));
  measured_ways others;
  others.past = {4e-10, 0.1, 256 * MiB};
  leave_ways({7, file_kind::written}, others);
  const measured_ways found = recall_ways({7, file_kind::written});
  EXPECT_NEAR(found.kept.seconds_per_byte, 5e-10, 1e-13);
  EXPECT_NEAR(found.kept.spread, 0.25, 0.07);
  EXPECT_EQ(found.kept.bytes, 64 * MiB);
  EXPECT_EQ(found.behind, way_figure{});
  EXPECT_NEAR(found.past.seconds_per_byte, 4e-10, 1e-13);
  EXPECT_NEAR(recall_ways({7, file_kind::read}).kept.seconds_per_byte, 3e-9, 1e-12);
  EXPECT_EQ(recall_ways({7, file_kind::durable}), measured_ways{});
  EXPECT_EQ(recall_ways({8, file_kind::written}), measured_ways{});
}

TEST_F(prior_table, has_nothing_of_a_few_bytes) {
  leave_ways({7, file_kind::written}, one_way(5e-10, 0.1, 8 * MiB - 1));
  EXPECT_EQ(recall_ways({7, file_kind::written}), measured_ways{});
}

TEST_F(prior_table, gives_later_files_as_much_weight_as_all_before) {
  leave_ways({7, file_kind::written}, one_way(4e-10));
  leave_ways({7, file_kind::written}, one_way(2e-10));
  EXPECT_NEAR(recall_ways({7, file_kind::written}).kept.seconds_per_byte, 3e-10, 1e-13);
}

TEST_F(prior_table, forgets_what_was_not_confirmed_for_a_minute) {
  const test::simulated_clock clock;
  const file_place place{7, file_kind::written};
  leave_ways(place, one_way(4e-10));
  test::simulated_clock::advance(59);
  EXPECT_GT(recall_ways(place).kept.seconds_per_byte, 0);
  leave_ways(place, one_way(4e-10));
  test::simulated_clock::advance(59);
  EXPECT_GT(recall_ways(place).kept.seconds_per_byte, 0);
  test::simulated_clock::advance(3);
  EXPECT_EQ(recall_ways(place), measured_ways{});
}

TEST_F(prior_table, takes_any_number_of_places_and_never_mistakes_one_for_another) {
  for (std::uint64_t device = 1; device <= 1000; ++device) {
    leave_ways({device, file_kind::written}, one_way(1e-10 * static_cast<double>(device)));
    EXPECT_GT(recall_ways({device, file_kind::written}).kept.seconds_per_byte, 0);
  }
  unsigned known = 0;
  for (std::uint64_t device = 1; device <= 1000; ++device) {
    const double seconds = recall_ways({device, file_kind::written}).kept.seconds_per_byte;
    if (seconds == 0) continue;
    ++known;
    EXPECT_NEAR(seconds, 1e-10 * static_cast<double>(device), 1e-12 * static_cast<double>(device)) << device;
  }
  EXPECT_LE(known, 32U);
  EXPECT_GE(known, 8U);
  // With a full table, the kinds of files of one device do not take each other's place.
  for (const file_kind kind : {file_kind::written, file_kind::durable, file_kind::read})
    leave_ways({2000, kind}, one_way(1e-9));
  for (const file_kind kind : {file_kind::written, file_kind::durable, file_kind::read})
    EXPECT_GT(recall_ways({2000, kind}).kept.seconds_per_byte, 0);
}

TEST_F(prior_table, keeps_figures_of_any_size) {
  for (const double seconds : {1e-12, 1e-10, 1e-6, 1e-2}) {
    for (const std::uint64_t bytes : {8 * MiB, 13 * MiB, std::uint64_t{1} << 62}) {
      detail::forget_priors();
      leave_ways({7, file_kind::written}, one_way(seconds, 100, bytes));
      const way_figure found = recall_ways({7, file_kind::written}).kept;
      EXPECT_NEAR(found.seconds_per_byte, seconds, 1e-4 * seconds);
      EXPECT_LE(found.bytes, bytes);
      EXPECT_GT(2 * found.bytes, bytes / 2);
    }
  }
}

TEST_F(prior_table, is_inherited_by_the_child_of_a_fork_and_then_its_own) {
  leave_ways({7, file_kind::written}, one_way(4e-10));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool has_it = recall_ways({7, file_kind::written}).kept.seconds_per_byte > 0;
    leave_ways({8, file_kind::written}, one_way(4e-10));
    ::_exit(has_it ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(recall_ways({8, file_kind::written}), measured_ways{});
}

TEST_F(prior_table, is_used_by_several_threads_at_once) {
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < 4; ++number)
    threads.emplace_back([number] {
      for (std::uint64_t round = 0; round < 2000; ++round) {
        const file_place place{(round * 7 + number) % 50, file_kind::written};
        leave_ways(place, one_way(1e-9));
        const double seconds = recall_ways(place).kept.seconds_per_byte;
        if (seconds != 0 && std::abs(seconds - 1e-9) > 1e-12) ADD_FAILURE() << seconds;
      }
    });
  for (std::thread& each : threads) each.join();
}

/// Files on a machine that is only simulated: its page cache takes 200 MB/s of memory that was not given back, its
/// device 3 GB/s.
class files_with_priors : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::can_change(directory_.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
    if (!test::why_not("direct", directory_.path()).empty()) GTEST_SKIP() << "nothing here writes past the page cache";
  }

  file_statistics write(std::uint64_t size, const writer_options& options = {}) {
    writer out{path_, options};
    for (std::uint64_t at = 0; at < size; at += 1000)
      out.write(test::bytes_from(at, std::min<std::uint64_t>(1000, size - at)));
    const file_statistics statistics = out.statistics();
    out.close();
    test::expect_prefix(path_, size);
    return statistics;
  }

  [[nodiscard]] file_place place(file_kind kind) const {
    std::error_code error;
    const auto file = detail::os::file::open_existing(directory_.path(), error);
    return detail::find_prior(file, {.is_wanted = true, .device = file.status(error).device}, kind).place.value();
  }

  static bool goes_past_at_4_mib(const file_statistics& statistics) {
    for (const method_change& each : statistics.changes)
      if (each.offset == 4 * MiB && detail::find_method(each.to)->direct) return true;
    return false;
  }

  /// A device that is faster than both other ways.
  static measured_ways past_first() {
    measured_ways ways;
    ways.kept = {5e-9, 0.1, 64 * MiB};
    ways.behind = {5e-9, 0.1, 64 * MiB};
    ways.past = {3e-10, 0.1, 64 * MiB};
    return ways;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(files_with_priors, begin_with_what_earlier_ones_found) {
  const test::machine_with_memory machine{200e6, 3e9};
  const file_statistics first = write(200 * MiB);
  EXPECT_FALSE(goes_past_at_4_mib(first));
  ASSERT_FALSE(first.changes.empty());
  EXPECT_GT(first.changes.front().offset, 0U) << describe(first);
  const file_statistics second = write(64 * MiB);
  ASSERT_FALSE(second.changes.empty());
  EXPECT_EQ(second.changes.front().offset, 0U);
  EXPECT_EQ(second.changes.front().from, second.changes.front().to);
  EXPECT_EQ(second.changes.front().reason, "this process's last file");
  ASSERT_GE(second.changes.size(), 2U) << describe(second);
  EXPECT_LE(second.changes[1].offset, 4 * MiB) << describe(second);
}

TEST_F(files_with_priors, go_past_the_page_cache_at_4_mib_where_that_is_known_to_be_fastest) {
  const test::machine_with_memory machine{200e6, 3e9};
  leave_ways(place(file_kind::written), past_first());
  const file_statistics statistics = write(64 * MiB);
  EXPECT_TRUE(goes_past_at_4_mib(statistics)) << describe(statistics);
}

TEST_F(files_with_priors, go_so_at_close_too) {
  const test::machine_with_memory machine{200e6, 3e9};
  EXPECT_FALSE(goes_past_at_4_mib(write(64 * MiB, {.durability = durability::at_close, .prior = false})));
  leave_ways(place(file_kind::durable), past_first());
  EXPECT_TRUE(goes_past_at_4_mib(write(64 * MiB, {.durability = durability::at_close})));
}

TEST_F(files_with_priors, stay_below_4_mib_as_they_were) {
  const test::machine_with_memory machine{2e9, 3e9};
  leave_ways(place(file_kind::written), past_first());
  EXPECT_EQ(write(4 * MiB - 1).all_changes, 0U);
}

TEST_F(files_with_priors, know_and_leave_nothing_if_they_are_asked_to) {
  const test::machine_with_memory machine{200e6, 3e9};
  leave_ways(place(file_kind::written), past_first());
  const file_statistics unasked = write(64 * MiB, {.prior = false});
  EXPECT_FALSE(goes_past_at_4_mib(unasked)) << describe(unasked);
  for (const method_change& each : unasked.changes) EXPECT_NE(each.offset, 0U);
  detail::forget_priors();
  write(64 * MiB, {.prior = false});
  EXPECT_EQ(recall_ways(place(file_kind::written)), measured_ways{});
}

TEST_F(files_with_priors, stay_with_a_method_or_a_block_that_the_program_names) {
  const test::machine_with_memory machine{2e9, 3e9};
  leave_ways(place(file_kind::written), past_first());
  EXPECT_EQ(write(64 * MiB, {.method = "buffered"}).all_changes, 0U);
  EXPECT_FALSE(goes_past_at_4_mib(write(64 * MiB, {.block = 64 << 10})));
  EXPECT_EQ(write(64 * MiB, {.caching = caching::keep}).all_changes, 0U);
}

/// A child that writes `bytes` to a file by its own choice, and is killed in the end.
class killed_writer {
 public:
  killed_writer(const std::filesystem::path& path, const writer_options& options, std::string_view bytes)
      : child_{::fork()} {
    if (child_ != 0) return;
    writer out{path, options};
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 1000)))
      out.write(bytes.substr(0, 1000));
    out.close();
    ::_exit(0);
  }
  killed_writer(const killed_writer&) = delete;
  killed_writer& operator=(const killed_writer&) = delete;
  ~killed_writer() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  [[nodiscard]] bool has_ended() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
  }

 private:
  pid_t child_;
};

// Whatever a file begins with, a killed program leaves a prefix.
TEST_F(files_with_priors, are_prefixes_of_what_was_written_when_the_program_is_killed) {
  const std::string all = test::bytes_from(0, 40 * MiB);
  std::mt19937 random{static_cast<std::mt19937::result_type>(test::sample_seed())};
  measured_ways behind_first = past_first();
  std::swap(behind_first.behind, behind_first.past);
  measured_ways kept_first = past_first();
  std::swap(kept_first.kept, kept_first.past);
  unsigned cut_short = 0;
  for (std::size_t moment = 0; moment < test::sample_size(60, 18); ++moment) {
    SCOPED_TRACE(moment);
    detail::forget_priors();
    constexpr std::array durabilities{durability::none, durability::at_close};
    for (const file_kind kind : {file_kind::written, file_kind::durable})
      leave_ways(place(kind), std::array{past_first(), behind_first, kept_first}.at(moment % 3));
    std::filesystem::remove(path_);
    const auto goal = std::uniform_int_distribution<std::uintmax_t>{1, all.size() - 1}(random);
    {
      const killed_writer child{path_, {.durability = durabilities.at(moment / 3 % 2)}, all};
      std::error_code missing;
      for (std::uintmax_t size = 0; !child.has_ended() && size < goal;) {
        size = std::filesystem::file_size(path_, missing);
        if (missing) size = 0;
      }
    }
    const std::string left = test::content_of(path_);
    ASSERT_TRUE(std::string_view{all}.starts_with(left)) << "of " << left.size() << " bytes";
    if (left.size() < all.size()) ++cut_short;
  }
  EXPECT_GT(cut_short, 0U) << "no kill fell into the writing";
}

}  // namespace
}  // namespace freshet
