// Many files of one device that are written at the same time, by threads and by processes: each holds its own bytes and
// changes its method no more often than it may.
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "src/method/device_speeds.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t file_size = 18 * MiB + 12'345;  // files below 16 MiB stay as they begin
constexpr std::size_t apart = 4099;                   // bytes from where a file's content begins to the next one's

// What file `number` holds.
std::string_view content(std::size_t number) {
  static const std::string bytes = test::bytes_from(0, file_size + 64 * apart);
  return std::string_view{bytes}.substr(number * apart, file_size);
}

class files_of_one_device : public testing::Test {
 protected:
  struct written_file {
    file_statistics statistics;
    double seconds = 0;
    std::error_code error;
  };

  void SetUp() override {
    detail::shared_device::forget_all();
    std::ignore = content(0);
  }

  written_file write(std::size_t number, const writer_options& options = {}) const {
    const auto begin = std::chrono::steady_clock::now();
    written_file result;
    writer out{file(number), options, result.error};
    for (std::string_view rest = content(number); !rest.empty() && !result.error;) {
      const auto piece = rest.substr(0, 200'003);
      out.write(piece, result.error);
      rest.remove_prefix(piece.size());
    }
    if (!result.error) out.close(result.error);
    result.statistics = out.statistics();
    result.seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
    return result;
  }

  std::vector<written_file> write_in_threads(std::size_t count, const writer_options& options = {}) const {
    std::vector<written_file> files(count);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&, i] { files[i] = write(i, options); });
    for (auto& each : threads) each.join();
    return files;
  }

  void expect_written(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(test::content_of(file(i)) == content(i)) << "file " << i;
      std::filesystem::remove(file(i));
    }
  }

  [[nodiscard]] std::filesystem::path file(std::size_t number) const { return directory_ / std::to_string(number); }

  test::temporary_directory directory_;
};

TEST_F(files_of_one_device, hold_their_own_bytes_and_change_seldom) {
  for (const std::size_t count : {2U, 8U, 32U}) {
    SCOPED_TRACE(count);
    for (const written_file& each : write_in_threads(count)) {
      EXPECT_FALSE(each.error) << each.error.message();
      EXPECT_LE(static_cast<double>(each.statistics.all_changes), detail::free_changes + each.seconds)
          << describe(each.statistics);
      EXPECT_EQ(each.statistics.bytes, file_size);
    }
    expect_written(count);
  }
}

TEST_F(files_of_one_device, hold_their_own_bytes_if_they_change_at_random) {
  const test::forced_changes force{test::at_random};
  for (const auto wanted : {durability::none, durability::at_close}) {
    for (const written_file& each : write_in_threads(8, {.block = MiB / 4, .durability = wanted}))
      EXPECT_FALSE(each.error) << each.error.message();
    expect_written(8);
  }
}

TEST_F(files_of_one_device, hold_their_own_bytes_in_two_processes) {
  for (bool (*const decide)() noexcept : {static_cast<bool (*)() noexcept>(nullptr), test::at_random}) {
    const test::forced_changes force{decide};
    std::vector<pid_t> processes;
    for (std::size_t i = 0; i < 2; ++i) {
      processes.push_back(::fork());
      if (processes.back() == 0) ::_exit(write(2 * i).error || write(2 * i + 1).error ? 1 : 0);
    }
    for (const pid_t each : processes) {
      int status = -1;
      EXPECT_EQ(::waitpid(each, &status, 0), each);
      EXPECT_EQ(status, 0);
    }
    expect_written(4);
  }
}

// Of all that ask, at most one may explore, until it says that it has ended.
TEST(shared_device, has_one_explorer_at_a_time) {
  constexpr std::uint64_t number = 0xf5e5;  // no device's
  std::atomic<int> explorers{0};
  std::atomic<int> all{0};
  std::atomic<bool> together{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      auto& device = *detail::shared_device::find(number);
      const int file = 0;
      for (int times = 0; times < 500'000;) {
        if (!device.begin_exploring(&file)) continue;
        ++times;
        if (++explorers > 1 || !device.may_explore(&file) || !device.begin_exploring(&file)) together = true;
        ++all;
        const int another = 0;
        device.end_exploring(&another);
        if (device.may_explore(&another)) together = true;
        --explorers;
        device.end_exploring(&file);
      }
    });
  for (auto& each : threads) each.join();
  EXPECT_FALSE(together);
  EXPECT_GT(all, 0);
}

// Files that write at the same time count, by their way; one that has ended does not, a fifth of a second later.
TEST(shared_device, counts_the_files_that_write) {
  using detail::way;
  auto& device = *detail::shared_device::find(0xf5e6);
  std::array<std::uint64_t, 3> last{};
  detail::writers_at_once most{};
  for (int call = 0; call < 40; ++call) {
    const double now = 100 + call * 0.01;
    std::ignore = device.count_writers(way::cached, last[0], now);
    std::ignore = device.count_writers(way::cached, last[1], now);
    const auto writers = device.count_writers(way::direct, last[2], now);
    EXPECT_EQ(writers.same_way, 1U);
    most.all = std::max(most.all, writers.all);
  }
  EXPECT_EQ(most.all, 3U);
  for (int call = 0; call < 40; ++call) most = device.count_writers(way::cached, last[0], 101 + call * 0.01);
  EXPECT_EQ(most.all, 1U);
}

}  // namespace
}  // namespace freshet
