// If a process is killed while it keeps trials, the store has every trial that it reported as kept.
#include <gtest/gtest.h>
#include <signal.h>
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

// Keeps trials until it is killed. Writes the id of each to the descriptor `reports` once it is kept.
[[noreturn]] void keep_trials(const std::filesystem::path& file, int reports) {
  try {
    store kept{file, store::access::write};
    const std::int64_t run = kept.begin(test::sample_run());
    while (true) {
      record trial = test::sample_record(run);
      kept.add(trial);
      if (::write(reports, &trial.id, sizeof trial.id) != sizeof trial.id) ::_exit(1);
    }
  } catch (...) {
    ::_exit(2);
  }
}

// Starts such a process, and kills it at a random moment after `enough` trials. Returns the ids that it reported, with
// -1 as the last one if the process failed.
std::vector<std::int64_t> kill_one(const std::filesystem::path& file, std::size_t enough, std::mt19937& random) {
  int ends[2];
  if (::pipe(ends) != 0) return {-1};
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    keep_trials(file, ends[1]);
  }
  ::close(ends[1]);
  std::vector<std::int64_t> kept;
  std::int64_t id = 0;
  const auto receives = [&] { return ::read(ends[0], &id, sizeof id) == sizeof id; };
  while (kept.size() < enough && receives()) kept.push_back(id);
  std::this_thread::sleep_for(std::chrono::microseconds{std::uniform_int_distribution{0, 8'000}(random)});
  if (writer > 0) ::kill(writer, SIGKILL);
  while (receives()) kept.push_back(id);
  ::close(ends[0]);
  int status = 0;
  if (writer < 0 || ::waitpid(writer, &status, 0) != writer || !WIFSIGNALED(status)) kept.push_back(-1);
  return kept;
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
  EXPECT_TRUE(was_half_written || !test::is_complete()) << "none was killed in the middle";
  // A reader repairs what the last killed process left.
  std::set<std::int64_t> read_back;
  for (const record& each : store{file}.records()) read_back.insert(each.id);
  EXPECT_TRUE(std::includes(read_back.begin(), read_back.end(), kept.begin(), kept.end()));
  EXPECT_GE(kept.size(), kills);
  SQLite::Database seen{file.c_str()};
  EXPECT_EQ(seen.execAndGet("PRAGMA integrity_check").getString(), "ok");
  EXPECT_EQ(seen.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
}

}  // namespace
}  // namespace freshet
