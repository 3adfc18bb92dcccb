// A campaign whose process is killed at any point of its journal goes on: no step is lost, none is counted twice, and
// what was repeated is marked.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/lab/campaign/simulated_machine.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using tool::journal;
using tool::journaled_step;

constexpr auto plan = R"(format = 1
[matrix]
n = [1, 2, 3]
[[step]]
command = "{n}"
)";
constexpr std::size_t steps_planned = 3;

// What a killed process leaves of the call at which it dies: nothing, or half of what it wrote.
enum class death : std::uint8_t { before, torn };

// The process dies at the point of this number, counted from 0: each call by which SQLite changes a file, and moments
// before and after a step's work.
std::uint64_t points_left = ~std::uint64_t{0};
death manner = death::before;

bool is_last_point() { return points_left-- == 0; }
void pass_point() {
  if (is_last_point()) ::raise(SIGKILL);
}
ssize_t write_or_die(int file, const void* bytes, std::size_t size, off_t offset) {
  if (is_last_point()) {
    if (manner == death::torn) static_cast<void>(::pwrite(file, bytes, size / 2, offset) == 0);
    ::raise(SIGKILL);
  }
  return ::pwrite(file, bytes, size, offset);
}
int truncate_or_die(int file, off_t size) {
  pass_point();
  return ::ftruncate(file, size);
}
int unlink_or_die(const char* name) {
  pass_point();
  return ::unlink(name);
}
int open_or_die(const char* name, int flags, int mode) {
  if ((flags & O_CREAT) != 0) pass_point();
  return ::open(name, flags, mode);
}

void watch_sqlite() {
  sqlite3_vfs* const system = ::sqlite3_vfs_find(nullptr);
  const auto set = [&](const char* name, auto* function) {
    if (system->xSetSystemCall(system, name, reinterpret_cast<sqlite3_syscall_ptr>(function)) != SQLITE_OK) ::_exit(3);
  };
  set("pwrite", &write_or_die);
  set("pwrite64", &write_or_die);
  set("ftruncate", &truncate_or_die);
  set("unlink", &unlink_or_die);
  set("open", &open_or_die);
}

// Lines of a file that outlives the process.
void append(const fs::path& file, const std::string& line) { std::ofstream{file, std::ios::app} << line << std::endl; }
std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct places {
  fs::path store;
  fs::path ran;       ///< a line for each time that a step did its work
  fs::path reported;  ///< a line for each result that was reported as kept
};

// All that a call of `freshet campaign start` or `resume` does to the journal.
void work_through(const places& at) {
  journal kept{at.store, journal::access::write};
  if (!kept.find()) (void)test::add_campaign(kept, plan);
  test::simulated_machine simulated;
  simulated.work = [&](const tool::step_call& call) {
    pass_point();
    append(at.ran, call.words.back());
    const std::string output = std::to_string(lines_of(at.ran).size());
    pass_point();
    return tool::attempt_result{.exit_code = 0, .seconds = 1, .output = output};
  };
  tool::campaign_listener listener;
  listener.ends = [&](const journaled_step& step, const auto&) { append(at.reported, step.planned.words.back()); };
  const tool::campaign record = *kept.find();
  const tool::departure end = run_campaign(kept, record, simulated.machine(), tool::arrival::by_user,
                                           {.quiet = {}, .stop_file = "/none", .program = "freshet"}, listener);
  ::_exit(end == tool::departure::done || is_over(record.state) ? 0 : 4);
}

// Whether a process that works through it was killed at the point.
bool is_killed_at(std::uint64_t point, death how, const places& at) {
  const pid_t process = ::fork();
  if (process == 0) {
    points_left = point;
    manner = how;
    watch_sqlite();
    try {
      work_through(at);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "exit code " << WEXITSTATUS(status);
  return WIFSIGNALED(status);
}

// `kills` processes were killed before one finished the campaign.
void expect_nothing_lost_and_nothing_twice(const places& at, std::uint64_t kills) {
  const journal kept{at.store, journal::access::read};
  const auto record = kept.find();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, tool::campaign_state::done);
  std::map<std::string, std::size_t> ran;
  std::map<std::string, std::string> last_run;
  std::size_t number = 0;
  for (const std::string& step : lines_of(at.ran)) {
    ++ran[step];
    last_run[step] = std::to_string(++number);
  }
  std::map<std::string, std::size_t> reported;
  for (const std::string& step : lines_of(at.reported)) ++reported[step];
  const std::vector<journaled_step> steps = kept.steps(record->id);
  ASSERT_EQ(steps.size(), steps_planned);
  std::size_t cut_off = 0;
  for (const journaled_step& step : steps) {
    const std::string& name = step.planned.words.back();
    ASSERT_FALSE(step.attempts.empty());
    for (std::size_t i = 0; i < step.attempts.size(); ++i) {
      EXPECT_EQ(step.attempts[i].state, i + 1 == step.attempts.size() ? "finished" : "cut off");
      EXPECT_EQ(step.attempts[i].number, i + 1);
    }
    cut_off += step.attempts.size() - 1;
    ASSERT_NE(step.result(), nullptr);
    EXPECT_EQ(step.result()->output, last_run[name]) << "the result is another run's";
    EXPECT_GE(ran[name], 1U) << "a result without work";
    EXPECT_LE(ran[name], step.attempts.size()) << "work was repeated without a mark";
    EXPECT_LE(reported[name], 1U) << "a step whose result was kept was made again";
  }
  EXPECT_LE(cut_off, kills) << "a kill cuts off one step at most";
  SQLite::Database seen{at.store.c_str()};
  EXPECT_EQ(seen.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

places places_in(const test::temporary_directory& directory) {
  return {directory / "store", directory / "ran", directory / "reported"};
}

class killed_campaigns : public testing::TestWithParam<death> {};

TEST_P(killed_campaigns, go_on_from_every_point_of_the_journal) {
  std::uint64_t repeated = 0;
  for (std::uint64_t point = 0;; ++point) {
    SCOPED_TRACE(point);
    const test::temporary_directory directory;
    const places at = places_in(directory);
    const bool killed = is_killed_at(point, GetParam(), at);
    if (killed) {
      ASSERT_FALSE(is_killed_at(~std::uint64_t{0}, death::before, at));
    }
    ASSERT_NO_FATAL_FAILURE(expect_nothing_lost_and_nothing_twice(at, killed ? 1 : 0));
    repeated += lines_of(at.ran).size() - steps_planned;
    if (killed) continue;
    std::cout << point << " points\n";
    EXPECT_GT(point, 8 * steps_planned) << "it was not watched";
    break;
  }
  EXPECT_GT(repeated, 0U) << "no step was repeated, not even where its work was done and its result not kept";
}

TEST_P(killed_campaigns, go_on_from_several_kills_in_a_row) {
  std::mt19937_64 random{test::sample_seed()};
  const std::size_t campaigns = test::sample_size(500, 25);
  std::uint64_t kills = 0;
  for (std::size_t count = 0; count < campaigns; ++count) {
    SCOPED_TRACE(count);
    const test::temporary_directory directory;
    const places at = places_in(directory);
    std::uint64_t own = 0;
    while (is_killed_at(random() % 60, GetParam(), at)) ++own;
    ASSERT_NO_FATAL_FAILURE(expect_nothing_lost_and_nothing_twice(at, own));
    kills += own;
  }
  EXPECT_GT(kills, campaigns) << "hardly any was killed";
}

INSTANTIATE_TEST_SUITE_P(by, killed_campaigns, testing::Values(death::before, death::torn),
                         [](const auto& how) { return how.param == death::before ? "sudden_death" : "torn_writes"; });

}  // namespace
}  // namespace freshet
