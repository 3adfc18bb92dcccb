// The threads that compress: faults while they work, forks, exits, and writers that change their thread.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/compressing.hpp"
#include "tests/support/fault_injection.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::compressed;
using test::decompressed;
using test::fault_injection;
using test::frame_size;
using test::holds;
using test::mixed_bytes;
using test::read_all;
using test::write_compressed;

class compression_threads : public test::compression_test {
 protected:
  static constexpr std::size_t frames = 6;
  const std::string content_ = mixed_bytes(frames * frame_size + 100);
};

// Writes until an error, and returns it.
std::error_code write_until_failure(writer& out, std::string_view content) {
  std::error_code failure;
  for (std::size_t at = 0; at < content.size() && !failure; at += 1'000'000)
    out.write(content.substr(at, 1'000'000), failure);
  std::error_code closing;
  out.close(closing);
  return failure ? failure : closing;
}

TEST_F(compression_threads, a_full_disk_is_an_error_and_leaves_whole_frames) {
  for (std::uint64_t nth = 1; nth <= 12; ++nth) {
    SCOPED_TRACE(nth);
    auto options = compressed(-5, 2);
    options.method = "buffered";
    fault_injection faults;
    for (const auto kind : {call::write, call::write_at}) {
      faults.shorten(kind, nth, 12'345);
      faults.fail(kind, nth + 1, test::fault::ever, std::errc::no_space_on_device);
    }
    writer out{path_, options};
    const auto failure = write_until_failure(out, content_);
    if (faults.count(call::write_at) + faults.count(call::write) <= nth) break;  // it needed fewer
    EXPECT_EQ(failure, std::errc::no_space_on_device);
    EXPECT_EQ(out.last_error(), failure);
    EXPECT_EQ(std::filesystem::file_size(path_), out.written_bytes());
    const auto [bytes, wrong] = read_all(path_);
    EXPECT_EQ(wrong, std::errc::bad_message);
    EXPECT_TRUE(content_.starts_with(bytes));
  }
}

TEST_F(compression_threads, interrupted_and_short_writes_are_finished) {
  fault_injection faults;
  for (const auto kind : {call::write, call::write_at}) {
    faults.fail_sometimes(kind, 0.3, std::errc::interrupted);
    faults.shorten_sometimes(kind, 0.5);
  }
  write_compressed(path_, content_, compressed(1, 3));
  EXPECT_TRUE(holds(path_, content_));
}

TEST_F(compression_threads, a_hidden_file_that_failed_never_appears) {
  auto options = compressed(1, 2);
  options.hidden_until_closed = true;
  fault_injection faults;
  faults.fail(call::write_at, 2, test::fault::ever, std::errc::io_error);
  faults.fail(call::submit_write, 2, test::fault::ever, std::errc::io_error);
  writer out{path_, options};
  EXPECT_EQ(write_until_failure(out, content_), std::errc::io_error);
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
}

TEST_F(compression_threads, a_writer_may_change_its_thread) {
  writer out{path_, compressed(1, 2)};
  for (std::size_t i = 0; i < frames; ++i)
    std::thread{[&, mine = std::move(out)]() mutable {
      mine.write(std::string_view{content_}.substr(i * frame_size, frame_size));
      out = std::move(mine);
    }}.join();
  out.close();
  EXPECT_TRUE(holds(path_, std::string_view{content_}.substr(0, frames * frame_size)));
}

TEST_F(compression_threads, different_files_in_different_threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      const auto path = directory_ / std::to_string(i);
      write_compressed(path, content_, compressed(-1, 2));
      EXPECT_TRUE(holds(path, content_));
    });
  for (auto& each : threads) each.join();
}

// What a child does; returns its exit status, or -1 if it was killed because it hung.
template <typename Action>
int in_child(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(action());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What each thread of this process but its first blocks: a bit per signal, as /proc tells.
std::vector<std::uint64_t> signals_blocked_by_other_threads() {
  std::vector<std::uint64_t> blocked;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    if (thread.path().filename() == std::to_string(::getpid())) continue;
    std::ifstream status{thread.path() / "status"};
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk:")) blocked.push_back(std::stoull(line.substr(7), nullptr, 16));
  }
  return blocked;
}

TEST_F(compression_threads, leave_signals_to_the_threads_of_the_program) {
  EXPECT_EQ(in_child([&] {
              writer out{path_, compressed(1, 2)};
              out.write(content_);
              const auto blocked = signals_blocked_by_other_threads();
              for (const std::uint64_t each : blocked)
                for (const int signal : {SIGALRM, SIGINT, SIGTERM, SIGUSR1})
                  if ((each >> (signal - 1) & 1) == 0) return 1;
              return blocked.empty() ? 2 : 0;
            }),
            0);
}

TEST_F(compression_threads, the_child_of_a_fork_continues_with_a_flushed_writer) {
  const auto first = std::string_view{content_}.substr(0, 2 * frame_size + 10);
  const auto rest = std::string_view{content_}.substr(first.size());
  writer out{path_, compressed(1, 2)};
  out.write(first);
  out.flush();
  EXPECT_EQ(in_child([&] {
              std::error_code failure;
              out.write(rest, failure);
              if (!failure) out.close(failure);
              return failure ? 1 : 0;
            }),
            0);
  EXPECT_TRUE(holds(path_, content_));
  // The parent's writer is left alone: both would write at the same place.
  EXPECT_EQ(::truncate(path_.c_str(), 0), 0);
}

TEST_F(compression_threads, the_child_of_a_fork_fails_with_frames_in_flight) {
  writer out{path_, compressed(9, 2)};
  out.write(std::string_view{content_}.substr(0, 3 * frame_size));
  EXPECT_EQ(in_child([&] {
              std::error_code failure;
              out.write(content_, failure);
              if (!failure) out.flush(failure);
              { const writer gone = std::move(out); }
              return failure == std::errc::owner_dead ? 0 : 1;
            }),
            0);
  out.write(std::string_view{content_}.substr(3 * frame_size));
  out.close();
  EXPECT_TRUE(holds(path_, content_));
}

TEST_F(compression_threads, the_process_may_end_with_open_writers) {
  const auto status = in_child([&]() -> int {
    static writer kept{path_, compressed(3, 2)};
    kept.write(content_);
    auto* const leaked = new writer{directory_ / "leaked", compressed(3, 2)};
    leaked->write(content_);
    std::exit(17);
  });
  EXPECT_EQ(status, 17);
  const auto kept = read_all(path_);
  EXPECT_TRUE(kept.bytes == content_) << "a destructor writes what is left";
  EXPECT_EQ(kept.failure, std::errc::bad_message) << "but not the end";
  EXPECT_EQ(read_all(directory_ / "leaked").failure, std::errc::bad_message);
}

// Where threads cannot be started, and where memory runs out, nothing hangs and nothing is lost unnoticed.
TEST_F(compression_threads, a_process_without_threads_compresses_by_itself) {
  const auto status = in_child([&] {
    std::error_code failure;
    writer out{path_, compressed(1, 2), failure};
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0 || (::geteuid() == 0 && ::setuid(65'534) != 0)) return 3;
    try {
      std::thread{[] {}}.join();
      return 2;
    } catch (const std::system_error&) {  // as it should be
    }
    if (!failure) out.write(content_, failure);
    if (!failure) out.close(failure);
    return failure ? 1 : 0;
  });
  if (status == 2 || status == 3) GTEST_SKIP() << "the number of threads cannot be limited here";
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(holds(path_, content_));
}

TEST_F(compression_threads, lack_of_memory_is_an_error) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has memory of its own, which no limit leaves";
#endif
  const auto status = in_child([&] {
    std::error_code failure;
    writer out{path_, compressed(22, 4), failure};
    const rlimit little{64U << 20, 64U << 20};
    if (::setrlimit(RLIMIT_AS, &little) != 0) return 3;
    out.write(content_, failure);
    std::error_code closing;
    out.close(closing);
    return failure == std::errc::not_enough_memory || closing == std::errc::not_enough_memory ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace freshet
