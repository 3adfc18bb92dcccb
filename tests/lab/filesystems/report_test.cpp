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

using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const volume_place place{.device = "/dev/sdx", .below = {}, .remarks = {}};

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

// Without the ends of lines, which depend on how long the names are.
std::string report_on(const volume_search_result& result) {
  std::string words;
  std::istringstream text{format_volume_search(result, place)};
  for (std::string word; text >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

std::vector<std::string> lines_with_mark(const std::string& text) {
  std::vector<std::string> marked;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("> ")) marked.push_back(line);
  return marked;
}

TEST(a_report_on_volumes, marks_nothing_but_what_it_recommends) {
  for (const double aged : {0.3, 1.4}) {
    const volume_search_result result = search(aged);
    EXPECT_THAT(report_on(result), HasSubstr("sudo mkfs.xfs"));
    EXPECT_THAT(report_on(result),
                HasSubstr(aged < 1 ? "The pick stays the pick when it is aged." : "Aged, the pick is 2."));
    const std::vector<std::string> marked = lines_with_mark(format_volume_search(result, place));
    EXPECT_THAT(marked, SizeIs(2));
    EXPECT_THAT(marked, Each(HasSubstr("on xfs")));
  }
}

TEST(a_report_on_volumes, names_what_there_was_no_time_to_age) {
  volume_search_result result = search(300, 90);
  const std::string rest = "Not aged, because no time was left: ";
  EXPECT_THAT(report_on(result), AnyOf(HasSubstr(rest + "ext4; btrfs."), HasSubstr(rest + "btrfs; ext4.")));
  EXPECT_THAT(report_on(result), Not(HasSubstr("stays the pick"))) << "nothing else was aged";
  EXPECT_THAT(lines_with_mark(format_volume_search(result, place)), Each(HasSubstr("on xfs")));
  result.aged.front().visits.clear();
  result.aged_candidates.clear();
  result.aged_beside_pick = {};
  EXPECT_THAT(report_on(result), HasSubstr(rest + "xfs; "));
  EXPECT_THAT(lines_with_mark(format_volume_search(result, place)), SizeIs(1));
}

TEST(a_report_on_volumes, says_that_the_aged_pick_has_no_valid_trial) {
  volume_search_result result = search(0.3);
  result.aged_beside_pick = {};
  EXPECT_THAT(report_on(result), HasSubstr("The pick has no valid trial aged."));
}

}  // namespace
}  // namespace freshet::tool
