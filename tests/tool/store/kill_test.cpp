// If a process is killed while it keeps trials, the store has every trial that it reported as kept.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

using tool::record;
using tool::store;

// Each kill takes 50 ms and more. Sanitizers make processes slow to start.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t some_kills = 40;
#else
constexpr std::size_t some_kills = 100;
#endif

// Keeps trials until it is killed, or has kept more than any kill allows. Writes the id of each to the descriptor
// `reports` once it is kept.
[[noreturn]] void keep_trials(const std::filesystem::path& file, int reports) {
  constexpr int too_many = 10'000;
  try {
    store kept{file, store::access::write};
    const std::int64_t run = kept.begin(test::sample_run());
    for (int count = 0; count < too_many; ++count) {
      record trial = test::sample_record(run);
      kept.add(trial);
      if (::write(reports, &trial.id, sizeof trial.id) != sizeof trial.id) ::_exit(1);
    }
    ::_exit(4);
  } catch (...) {
    ::_exit(2);
  }
}

// Starts a process that calls `work` with a descriptor for its reports, and `meanwhile` with the process and a function
// that waits for one report more. Returns the ids that were reported until a signal ended the process, with -1 as the
// last one if it ended otherwise.
template <typename Work, typename Meanwhile>
std::vector<std::int64_t> let_write(const Work& work, const Meanwhile& meanwhile) {
  int ends[2];
  if (::pipe(ends) != 0) return {-1};
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    work(ends[1]);
  }
  ::close(ends[1]);
  if (writer < 0) return {-1};
  std::vector<std::int64_t> kept;
  const auto receive = [&] {
    std::int64_t id = 0;
    if (::read(ends[0], &id, sizeof id) != sizeof id) return false;
    kept.push_back(id);
    return true;
  };
  meanwhile(writer, receive);
  while (receive()) {
  }
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(writer, &status, 0) != writer || !WIFSIGNALED(status)) kept.push_back(-1);
  return kept;
}

// Kills such a process at a random moment after `enough` trials.
std::vector<std::int64_t> kill_one(const std::filesystem::path& file, std::size_t enough, std::mt19937& random) {
  const auto kill_it = [&](pid_t writer, const auto& receive) {
    for (std::size_t received = 0; received < enough && receive();) ++received;
    std::this_thread::sleep_for(std::chrono::microseconds{std::uniform_int_distribution{0, 8'000}(random)});
    ::kill(writer, SIGKILL);
  };
  return let_write([&](int reports) { keep_trials(file, reports); }, kill_it);
}

// A reader repairs what the last killed process left.
std::set<std::int64_t> ids_in(const std::filesystem::path& file) {
  std::set<std::int64_t> ids;
  for (const record& each : store{file}.records()) ids.insert(each.id);
  return ids;
}

void expect_whole(const std::filesystem::path& file) {
  SQLite::Database seen{file.c_str()};
  EXPECT_EQ(seen.execAndGet("PRAGMA integrity_check").getString(), "ok");
  EXPECT_EQ(seen.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
}

TEST(killed_writers, leave_a_whole_store_with_every_trial_they_reported) {
  const test::temporary_directory directory;
  const auto file = directory / "trials.sqlite";
  const std::size_t kills = test::sample_size(500, some_kills);
  std::mt19937 random{static_cast<std::mt19937::result_type>(test::sample_seed())};
  std::set<std::int64_t> kept;
  bool was_half_written = false;
  for (std::size_t count = 0; count < kills; ++count) {
    // Some are killed before they have kept a trial, because opening a store also writes.
    for (const std::int64_t id : kill_one(file, count % 4, random)) {
      ASSERT_GT(id, 0) << "a writer failed, after " << count;
      ASSERT_TRUE(kept.insert(id).second) << id << " was kept twice";
    }
    std::error_code none;
    const auto journal = std::filesystem::file_size(file.string() + "-journal", none);
    was_half_written = was_half_written || (!none && journal != 0);
  }
  if (test::is_complete()) {
    EXPECT_TRUE(was_half_written) << "none was killed in the middle";
  }
  const std::set<std::int64_t> read_back = ids_in(file);
  EXPECT_TRUE(std::includes(read_back.begin(), read_back.end(), kept.begin(), kept.end()));
  EXPECT_GE(kept.size(), kills);
  expect_whole(file);
}

// SQLite empties the journal by ftruncate() to commit: just before that, the trial is in the store, and the journal
// that would take it out again is there as well. In place of the call of this number, counted from 0, the process is
// killed.
std::uint64_t truncations_left = 0;
int truncate_or_die(int descriptor, off_t length) {
  if (truncations_left-- == 0) ::raise(SIGKILL);
  return ::ftruncate(descriptor, length);
}

[[noreturn]] void keep_trials_and_die(const std::filesystem::path& file, int reports, std::uint64_t truncation) {
  sqlite3_vfs* const system = ::sqlite3_vfs_find(nullptr);
  truncations_left = truncation;
  if (system->xSetSystemCall(system, "ftruncate", reinterpret_cast<sqlite3_syscall_ptr>(&truncate_or_die)) != SQLITE_OK)
    ::_exit(3);
  keep_trials(file, reports);
}

TEST(killed_writers, leave_nothing_of_the_trial_that_was_half_written) {
  std::size_t trials = 0;
  for (std::uint64_t truncation = 0; truncation < 8; ++truncation) {
    SCOPED_TRACE(truncation);
    const test::temporary_directory directory;
    const auto file = directory / "trials.sqlite";
    const std::vector<std::int64_t> kept =
        let_write([&](int reports) { keep_trials_and_die(file, reports, truncation); }, [](auto...) {});
    EXPECT_NE(std::filesystem::file_size(file.string() + "-journal"), 0U) << "it was not half written";
    EXPECT_EQ(ids_in(file), (std::set<std::int64_t>{kept.begin(), kept.end()}));
    expect_whole(file);
    trials += kept.size();
  }
  EXPECT_GT(trials, 0U) << "all of them made the tables only";
}

}  // namespace
}  // namespace freshet
