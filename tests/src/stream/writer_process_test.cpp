// Writers that are passed between threads, and writers that are duplicated by a fork.
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using test::bytes_from;
using test::expect_prefix;

class writing_elsewhere : public testing::TestWithParam<test::way> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam().method, directory_.path()); !reason.empty())
      GTEST_SKIP() << reason;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_ = GetParam().options();
};

// Each thread ends while its last block is in flight.
TEST_P(writing_elsewhere, threads_hand_a_writer_on) {
  constexpr std::size_t length = 150'000;
  constexpr std::size_t threads = 50;
  writer out{path_, options_};
  for (std::size_t i = 0; i < threads; ++i)
    std::thread{[&, mine = std::move(out)]() mutable {
      mine.write(bytes_from(i * length, length));
      out = std::move(mine);
    }}.join();
  out.close();
  expect_prefix(path_, threads * length);
}

TEST_P(writing_elsewhere, different_writers_in_different_threads) {
  constexpr std::size_t length = 2'000'003;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) {
        writer out{directory_ / std::to_string(i), options_};
        for (std::size_t from = 0; from < length; from += 7777)
          out.write(bytes_from(from, std::min<std::size_t>(7777, length - from)));
        out.close();
      }
    });
  for (auto& each : threads) each.join();
  for (int i = 0; i < 4; ++i) expect_prefix(directory_ / std::to_string(i), length);
}

INSTANTIATE_TEST_SUITE_P(all, writing_elsewhere, testing::ValuesIn(test::all_ways()),
                         [](const auto& which) { return which.param.name(); });

class writing_and_forking : public writing_elsewhere {
 protected:
  // Runs `work` in a child process; returns whether it returned true there.
  template <typename Work>
  static bool in_child(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = false;
      try {
        good = work();
      } catch (...) {
        ::_exit(2);
      }
      ::_exit(good ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

TEST_P(writing_and_forking, a_child_goes_on_after_flush) {
  writer out{path_, options_};
  out.write(bytes_from(0, 300'000));
  out.flush();
  EXPECT_TRUE(in_child([&] {
    out.write(bytes_from(300'000, 300'000));
    out.close();
    return out.written_bytes() == 600'000;
  }));
  expect_prefix(path_, 600'000);
}

TEST_P(writing_and_forking, a_child_s_end_leaves_the_parent_s_file_alone) {
  options_.reserve = 8 << 20;
  writer out{path_, options_};
  out.write(bytes_from(0, 400'000));
  out.flush();
  const auto before = std::filesystem::file_size(path_);
  EXPECT_TRUE(in_child([&] {
    std::error_code failure;
    out.close(failure);
    return !failure;
  }));
  EXPECT_EQ(std::filesystem::file_size(path_), before);
  out.write(bytes_from(400'000, 400'000));
  EXPECT_TRUE(in_child([&] {
    out = {};
    return true;
  }));
  out.write(bytes_from(800'000, 400'000));
  out.close();
  expect_prefix(path_, 1'200'000);
}

class forking_in_flight : public writing_and_forking {};

// A full block is in flight: three blocks ensure that at least one is.
TEST_P(forking_in_flight, a_child_fails_and_touches_nothing) {
  writer out{path_, options_};
  while (out.tell() < 1'000'000) out.write(bytes_from(out.tell(), 5000));
  // The parent's writes may still change the file's size; only the child could truncate it.
  EXPECT_TRUE(in_child([&] {
    std::error_code failure;
    test::fault_injection watch;
    out.write(bytes_from(out.tell(), 300'000), failure);
    if (failure != std::errc::owner_dead) return false;
    out.close(failure);
    const bool touched = watch.count(detail::os::call::write_at) + watch.count(detail::os::call::submit_write) +
                             watch.count(detail::os::call::set_size) +
                             watch.count(detail::os::call::free_preallocation) >
                         0;
    return failure == std::errc::owner_dead && !touched;
  }));
  while (out.tell() < 2'000'000) out.write(bytes_from(out.tell(), 5000));
  out.close();
  expect_prefix(path_, 2'000'000);
}

TEST_P(writing_and_forking, an_atomic_file_is_the_parent_s_to_give_up) {
  options_.atomic = true;
  for (const bool unnamed : {true, false}) {
    test::fault_injection faults;
    if (!unnamed) faults.fail(detail::os::call::open, 1, std::errc::operation_not_supported);
    writer out{path_, options_};
    out.write(bytes_from(0, 100));
    out.flush();
    EXPECT_TRUE(in_child([&] {
      out = {};
      return true;
    }));
    out.write(bytes_from(100, 100));
    out.close();
    expect_prefix(path_, 200);
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  }
}

TEST_P(writing_and_forking, a_child_s_own_writers_work_or_are_refused) {
  writer{path_, options_}.write(bytes_from(0, 300'000));
  EXPECT_TRUE(in_child([&] {
    std::error_code failure;
    writer out{path_, options_, failure};
    // The child has no threads of the C library.
    if (GetParam().method == "aio") return failure == std::errc::operation_not_supported;
    out.write(bytes_from(0, 300'000), failure);
    if (!failure) out.close(failure);
    return !failure;
  }));
  // Either written again, or unchanged because writing was refused.
  expect_prefix(path_, 300'000);
}

INSTANTIATE_TEST_SUITE_P(all, writing_and_forking, testing::ValuesIn(test::all_ways()),
                         [](const auto& which) { return which.param.name(); });

INSTANTIATE_TEST_SUITE_P(all, forking_in_flight, testing::ValuesIn(test::queued_ways()),
                         [](const auto& which) { return which.param.name(); });

}  // namespace
}  // namespace freshet
