// The measurement itself, on this machine: figures are plausible, nothing is left behind, a signal ends it.
#include "tool/doctor/measuring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"

namespace freshet::tool {
namespace {

TEST(measuring, gives_figures_and_leaves_nothing) {
  const test::temporary_directory place{test::disk_place()};
  const machine_facts facts = read_machine_facts(place.path());
  std::vector<unseen_fact> unseen;
  std::vector<double> left;
  const measured_facts measured = measure_facts(
      facts, [&](std::string_view, double seconds) { left.push_back(seconds); }, unseen);
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
  EXPECT_GT(measured.seconds, 0.4);
  EXPECT_GT(measured.touch.fresh, 0);
  EXPECT_GT(measured.touch.reused, 0);
  ASSERT_TRUE(measured.stolen) << "Linux counts it everywhere";
  EXPECT_LE(*measured.stolen, 1);
  if (facts.storage.place.type != "tmpfs") {
    ASSERT_TRUE(measured.flush) << (unseen.empty() ? "" : unseen.front().reason);
    EXPECT_GT(measured.flush->median, 0);
    EXPECT_GT(measured.flush->count, 0U);
  }
  EXPECT_EQ(left.size(), 4U);
  EXPECT_EQ(left.front(), measuring_time);
  EXPECT_TRUE(std::ranges::is_sorted(left, std::greater{}));
}

TEST(measuring, sees_what_others_use_of_the_processors) {
  const test::temporary_directory place{test::disk_place()};
  const child busy{
      {.words = {"sh", "-c", "while :; do :; done"}, .directory = place.path(), .environment = merge_environment({})},
      child::connection::listen};
  std::vector<unseen_fact> unseen;
  const measured_facts measured = measure_facts(
      read_machine_facts(place.path()), [](std::string_view, double) {}, unseen);
  EXPECT_GT(measured.busy_others, 0.1) << "processors";
  EXPECT_LE(measured.busy_others, std::thread::hardware_concurrency() + 0.5);
}

TEST(measuring, says_why_flushes_cannot_be_measured) {
  const test::temporary_directory place{test::disk_place()};
  machine_facts facts = read_machine_facts(place.path());
  if (facts.storage.place.type == "tmpfs") GTEST_SKIP() << "no flush is measured in memory";
  facts.storage.directory = place / "none";
  std::vector<unseen_fact> unseen;
  const measured_facts measured = measure_facts(
      facts, [](std::string_view, double) {}, unseen);
  EXPECT_FALSE(measured.flush);
  ASSERT_EQ(unseen.size(), 1U);
  EXPECT_EQ(unseen.front().subject, "how long a flush takes");
  EXPECT_THAT(unseen.front().reason, testing::HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace freshet::tool
