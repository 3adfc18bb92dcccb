// Stores that earlier versions of freshet wrote open as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>

#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

using test::content_of;
using tool::store;

class version_1 : public testing::Test {
 protected:
  version_1() { std::filesystem::copy_file(sample_, file_); }

  const std::filesystem::path sample_{FRESHET_TESTS "/tool/store/samples/version-1.sqlite"};
  const test::temporary_directory directory_;
  const std::filesystem::path file_ = directory_ / "trials.sqlite";
};

TEST_F(version_1, has_every_run_of_every_command) {
  std::vector<std::string> commands;
  for (const tool::run& run : store{file_}.runs()) {
    commands.push_back(run.command);
    EXPECT_EQ(run.env.directory, "/data");
    EXPECT_NE(run.ended, "");
  }
  EXPECT_THAT(commands, testing::ElementsAre("bench", "text", "bytes", "peers", "sweep", "tune"));
}

TEST_F(version_1, has_every_trial) {
  std::map<std::int64_t, int> trials;
  std::uint64_t bytes = 0;
  std::uint64_t rounds = 0;
  std::size_t letters = 0;
  for (const tool::record& record : store{file_}.records()) {
    ++trials[record.run];
    bytes += record.figures.bytes;
    rounds += record.figures.round;
    letters += record.label.size();
  }
  EXPECT_EQ(trials, (std::map<std::int64_t, int>{{1, 6}, {2, 1}, {3, 29}, {4, 4}, {5, 4}, {6, 12}}));
  EXPECT_EQ(bytes, 220'866'351U);
  EXPECT_EQ(rounds, 41U);
  EXPECT_EQ(letters, 1078U);  // 36 more than were stored: names_what_plans_left_to_their_methods
}

TEST_F(version_1, names_what_plans_left_to_their_methods) {
  std::size_t named = 0;
  for (const tool::record& record : store{file_}.records()) {
    const tool::trial_plan& plan = record.figures.plan;
    if (record.workload == "bytes" || record.workload == "lines" || plan.method != "uring") continue;
    EXPECT_NE(plan.block, 0U);
    EXPECT_GE(plan.depth, 1U);
    EXPECT_EQ(record.plan.at("block"), plan.block);
    EXPECT_EQ(record.plan.at("depth"), plan.depth);
    EXPECT_EQ(record.label, describe_with_memory(plan));
    ++named;
  }
  EXPECT_GT(named, 0U);
}

TEST_F(version_1, knows_nothing_of_later_figures) {
  for (const tool::record& record : store{file_}.records()) {
    EXPECT_FALSE(record.figures.first_touch);
    EXPECT_FALSE(record.figures.cpu_waited);
    EXPECT_FALSE(record.figures.cpu_user);
  }
}

TEST_F(version_1, takes_new_trials) {
  store opened{file_, store::access::write};
  tool::record trial = opened.records().front();
  trial.run = opened.begin(opened.runs().front());
  opened.add(trial);
  EXPECT_EQ(opened.records().size(), 57U);
}

}  // namespace
}  // namespace freshet
