// Peers side by side: errors of the machine are not reported as errors of a peer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/peers/contest.hpp"
#include "src/os/interceptor.hpp"
#include "tests/lab/peers/peer_folders.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// While it exists, syncing the file that a peer wrote fails.
class failing_sync final : public detail::os::interceptor {
 public:
  explicit failing_sync(std::error_code why) : why_{why}, replaced_{detail::os::intercept(this)} {}
  ~failing_sync() override { detail::os::intercept(replaced_); }

  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind != detail::os::call::sync_file) return {};
    const fs::path file = fs::read_symlink("/proc/self/fd/" + std::to_string(next.descriptor));
    return file.filename() == "trial-0" ? why_ : std::error_code{};
  }

 private:
  std::error_code why_;
  detail::os::interceptor* replaced_;
};

class contest : public testing::Test {
 protected:
  contest() {
    peers_.add("one");
    peers_.add("two");
    all_ = read_peers(peers_.path());
    builder_.emplace(peers_.path(), private_ / "cache", 60);
    runner_.emplace(measured_.path(), peer_request{.size = 100 << 10, .memory = memory_state::recycled}, 60);
    contest_.emplace(all_, *builder_, *runner_, [](std::string_view, double) {});
    contest_->build();
    contest_->check();
  }

  void measure() {
    contest_->measure(schedule(all_.rows.size(), 1, trial_order::cycle, 1), [](const peer_trial&) {});
  }

  // The error that ends the run; empty if the run succeeds.
  std::optional<error> fault() {
    try {
      measure();
    } catch (const error& met) {
      return met;
    }
    return {};
  }

  void expect_no_peer_blamed() const {
    for (const peer_row& row : all_.rows) {
      EXPECT_EQ(row.failure, "");
      EXPECT_TRUE(row.measured.trials.empty());
    }
  }

  test::temporary_directory private_;
  test::temporary_directory measured_;
  test::peer_folders peers_;
  peer_catalogue all_;
  std::optional<peer_builder> builder_;
  std::optional<peer_runner> runner_;
  std::optional<peer_contest> contest_;
};

TEST_F(contest, runs_trials_in_the_given_order) {
  std::vector<std::string> made;
  contest_->measure({{.plan = 1}, {.plan = 0}, {.plan = 1, .round = 1}},
                    [&](const peer_trial& trial) { made.push_back(trial.figures.method); });
  EXPECT_THAT(made, testing::ElementsAre("two", "one", "two"));
  EXPECT_EQ(all_.rows[1].measured.trials.size(), 2U);
}

TEST_F(contest, ends_when_the_file_system_cannot_be_synced) {
  test::fault_injection faults;
  faults.fail_always(detail::os::call::sync_file, std::errc::io_error);
  const auto failure = fault();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code(), std::errc::io_error);
  EXPECT_EQ(failure->operation(), "sync the file system of");
  EXPECT_EQ(failure->path().parent_path(), measured_.path());
  expect_no_peer_blamed();
}

TEST_F(contest, ends_when_a_peers_file_cannot_be_synced) {
  const failing_sync faults{std::make_error_code(std::errc::io_error)};
  const auto failure = fault();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->operation(), "sync");
  EXPECT_EQ(failure->path().filename(), "trial-0");
  expect_no_peer_blamed();
}

TEST_F(contest, goes_on_when_a_peer_fills_the_disk) {
  for (const int why : {ENOSPC, EDQUOT}) {
    const failing_sync faults{{why, std::system_category()}};
    EXPECT_FALSE(fault());
    for (const peer_row& row : all_.rows)
      EXPECT_THAT(row.failure, HasSubstr(std::system_category().message(why))) << row.name;
    for (peer_row& row : all_.rows) row.failure.clear();
  }
}

TEST_F(contest, ends_when_its_files_cannot_be_removed) {
  test::fault_injection faults;
  faults.fail_always(detail::os::call::remove, std::errc::read_only_file_system);
  const auto failure = fault();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->operation(), "remove");
}

}  // namespace
}  // namespace freshet::tool
