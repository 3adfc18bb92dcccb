// What `freshet filesystems` prints of a search.
#include "lab/filesystems/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "lab/filesystems/volume.hpp"
#include "tests/lab/filesystems/simulated_volumes.hpp"

namespace freshet::tool {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// XFS leads, then ext4, then btrfs; aged, XFS takes as long as `aged_xfs` says.
volume_search_result search(double aged_xfs, double seconds = 600) {
  test::simulated_volumes machine{.seconds_per_gb = [=](const trial_plan& plan) {
    const std::string type = parse_volume(plan.volume).type;
    if (type == "xfs") return is_aged(plan.volume) ? aged_xfs : 0.4;
    return type == "ext4" ? 0.6 : 0.9;
  }};
  volume_search_setup setup = test::usual_setup();
  setup.vary = false;
  setup.seconds = seconds;
  return search_volumes(setup, machine.open());
}

// The types of the volumes that the report marks as picks.
std::vector<std::string> marked(const volume_search_result& result) {
  std::vector<std::string> types;
  std::istringstream lines{format_volume_search(result, {.device = "/dev/sdx", .below = {}, .remarks = {}})};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("> ")) {
      const std::size_t type = line.find(" on ") + 4;
      types.push_back(line.substr(type, line.find_first_of(" ,", type) - type));
    }
  return types;
}

// The volumes that there was no time to age.
std::vector<std::string> not_aged(const volume_search_result& result) {
  std::vector<std::string> volumes;
  for (const surveyed_volume& each : result.aged)
    if (each.visits.empty() && each.failure.empty()) volumes.push_back(each.plan.volume);
  return volumes;
}

TEST(a_report_on_volumes, marks_nothing_but_what_it_recommends) {
  for (const double aged : {0.3, 1.4}) {
    const volume_search_result result = search(aged);
    EXPECT_EQ(parse_volume(result.verdict.ranking.front().plan.volume).type, "xfs");
    const std::string& leader = result.aged_verdict.ranking.front().plan.volume;
    EXPECT_EQ(parse_volume(leader).type == "xfs", aged < 1) << leader;
    EXPECT_THAT(marked(result), ElementsAre("xfs", "xfs"));
  }
}

TEST(a_report_on_volumes, marks_the_pick_alone_where_nothing_else_was_aged) {
  volume_search_result result = search(300, 90);
  EXPECT_EQ(result.aging_ended, "no time was left");
  EXPECT_THAT(not_aged(result), UnorderedElementsAre("ext4, aged", "btrfs, aged"));
  EXPECT_EQ(result.aged_beside_pick.ranking.size(), 1U);
  EXPECT_THAT(marked(result), ElementsAre("xfs", "xfs"));
  result.aged.front().visits.clear();
  result.aged_candidates.clear();
  result.aged_beside_pick = {};
  EXPECT_THAT(marked(result), ElementsAre("xfs"));
}

}  // namespace
}  // namespace freshet::tool
