// Many files of one device that are written at the same time, by threads and by processes: each holds its own bytes and
// changes its method no more often than it may.
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/forced_changes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t file_size = 18 * MiB + 12'345;  // several ranges that are written behind the cursor
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

  void SetUp() override { std::ignore = content(0); }

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
      // A look has two changes, and a third one may follow; the looks are a second apart in the end.
      EXPECT_LE(static_cast<double>(each.statistics.all_changes), 3 * (6 + each.seconds)) << describe(each.statistics);
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

}  // namespace
}  // namespace freshet
