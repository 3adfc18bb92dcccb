// All that `freshet filesystems` prints of a made-up search.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/filesystems/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

class filesystems_screen : public test::screen_test {};

constexpr screen narrow;
constexpr screen wide{.colours = true, .unicode = true, .width = 132};
const volume_place device{.device = "/dev/sdx", .below = {}, .remarks = {"f2fs was left out: mkfs.f2fs is missing."}};
const volume_place loop_file{.device = {}, .below = "ext4 on vda", .remarks = {}};
const volume_search_setup setup{.size = std::uint64_t{256} << 20};

trial_result trial_of(const trial_plan& plan, unsigned round, double seconds_per_gb) {
  const double gigabytes = static_cast<double>(plan.size) / 1e9;
  trial_result trial =
      test::make_trial(plan, seconds_per_gb * gigabytes * (1 + 0.01 * round), round, {.cpu = 0.1 * gigabytes});
  trial.extents = 2 + round;
  trial.device_bytes = plan.size + plan.size / 8;
  return trial;
}

// Six rounds of what counts, each 1 % slower than the one before.
candidate raced(const volume_search_setup& of, const std::string& volume, const std::string& method, double seconds) {
  candidate entry{.plan = make_plan(of, of.goal, method, volume)};
  for (unsigned round = 0; round < 6; ++round) entry.trials.push_back(trial_of(entry.plan, round, seconds));
  return entry;
}

candidate dropped(candidate entry, std::string reason) {
  entry.trials.clear();
  entry.dropped = std::move(reason);
  return entry;
}

void spoil(trial_result& trial) {
  trial.validity = trial_validity::invalid;
  trial.reasons = {"the content differs"};
}

surveyed_volume visited(const volume_search_setup& of, const trial_plan& counts, double seconds) {
  surveyed_volume volume{.plan = counts};
  for (unsigned round = 0; round < 3; ++round) {
    visit& next = volume.visits.emplace_back();
    next.times = {.mkfs = 0.2 + 0.01 * round, .mount = 0.05, .umount = 0.15};
    double times = 1;  // each kind of trial takes longer than the one before
    for (const trial_plan& plan : survey_plans(of, counts))
      next.trials.push_back(trial_of(plan, round, seconds * std::exchange(times, 2 * times)));
  }
  return volume;
}

surveyed_volume without_visit(const trial_plan& counts, std::string failure = {}) {
  return {.plan = counts, .visits = {}, .failure = std::move(failure)};
}

// ext4 is picked, and XFS may be as good; one volume left the race, one failed in the survey, for one there was no
// time.
volume_search_result searched(volume_goal goal) {
  volume_search_setup of = setup;
  of.goal = goal;
  volume_search_result result;
  result.goal = goal;
  result.candidates = {raced(of, "ext4 -O ^metadata_csum, noatime,data=writeback", "direct", 0.41),
                       raced(of, "xfs", "buffered", 0.5),
                       raced(of, "xfs -d agcount=4 -m finobt=0, noatime", "direct", 0.4),
                       raced(of, "ext4", "buffered", 0.6),
                       raced(of, "btrfs", "buffered", 0.9),
                       raced(of, "btrfs", "direct", 0.95),
                       raced(of, "jfs", "buffered", 1.1),
                       raced(of, "nilfs2", "buffered", 1.2),
                       raced(of, "ext2", "buffered", 1.3),
                       raced(of, "bcachefs", "buffered", 1.4),
                       dropped(raced(of, "f2fs", "buffered", 1), "f2fs: mkfs.f2fs: the device is too small")};
  spoil(result.candidates[1].trials[0]);
  result.candidates[3].trials[4].seconds_to_close = result.candidates[3].trials[4].seconds_to_disk *= 3;
  result.verdict = rank_candidates(result.candidates[0].plan.measured_class, result.candidates);
  const auto plan_of = [&](std::size_t index) { return result.candidates[index].plan; };
  result.survey = {visited(of, plan_of(0), 0.41), visited(of, plan_of(2), 0.4),
                   without_visit(plan_of(4), "btrfs: mount: wrong fs type"), without_visit(plan_of(6))};
  for (visit& each : result.survey[1].visits)
    for (trial_result& trial : each.trials) {
      trial.extents.reset();
      trial.device_bytes.reset();
      if (trial.plan.measured_class == io_class::cold) spoil(trial);
    }
  result.survey_ended = "no time was left";
  result.seconds = 598.5;
  return result;
}

// The finalists filled and emptied: the pick takes so long, the other as long as before.
void age(volume_search_result& result, double seconds) {
  const auto aged = [&](const candidate& fresh, double takes) {
    const std::string volume = fresh.plan.volume + std::string{aged_suffix};
    return raced(setup, volume, fresh.plan.method, takes);
  };
  const candidate pick = aged(result.candidates[0], seconds);
  const candidate other = aged(result.candidates[2], 0.5);
  result.aged_candidates = {pick, other};
  result.aged_verdict = rank_candidates(io_class::at_close, result.aged_candidates);
  result.aged_beside_pick = result.aged_verdict;
  if (seconds > 0.5) {  // beside the pick, whoever leads
    result.aged_beside_pick = rank_candidates(io_class::at_close, std::vector{pick});
    result.aged_beside_pick.ranking.push_back(result.aged_verdict.ranking.front());
    result.aged_beside_pick.ranking.back().place = rank_class::leading;
    result.aged_beside_pick.ranking.back().to_leader = compare(other, pick);
  }
  result.aged = {visited(setup, pick.plan, seconds), visited(setup, other.plan, 0.5),
                 without_visit(aged(result.candidates[4], 1).plan),
                 without_visit(aged(result.candidates[3], 1).plan, "ext4: no space is left")};
  result.aging_ended = "no time was left";
}

TEST_F(filesystems_screen, has_answer_ranking_survey_aged_volumes_and_commands) {
  volume_search_result result = searched(volume_goal::large);
  age(result, 0.45);
  EXPECT_TRUE(is_golden("lab/filesystems/screens/large-80.txt", format_volume_search(result, device, narrow)));
  EXPECT_TRUE(is_golden("lab/filesystems/screens/large-132.txt", format_volume_search(result, device, wide, true)));
  EXPECT_TRUE(is_golden("lab/filesystems/screens/large.json", test::golden_json(make_json(result, device))));
}

TEST_F(filesystems_screen, says_how_the_pick_does_aged) {
  volume_search_result result = searched(volume_goal::large);
  age(result, 0.9);
  EXPECT_TRUE(is_golden("lab/filesystems/screens/aged-80.txt", format_volume_search(result, loop_file, narrow)));
  result.aged_beside_pick = {};
  EXPECT_TRUE(
      is_golden("lab/filesystems/screens/aged-invalid-80.txt", format_volume_search(result, loop_file, narrow)));
}

TEST_F(filesystems_screen, names_what_there_was_no_time_to_age) {
  volume_search_result result = searched(volume_goal::large);
  age(result, 0.45);
  result.aged_candidates.pop_back();
  result.aged_verdict = result.aged_beside_pick = rank_candidates(io_class::at_close, result.aged_candidates);
  result.aged[1].visits.clear();
  EXPECT_TRUE(is_golden("lab/filesystems/screens/aged-alone-80.txt", format_volume_search(result, loop_file, narrow)));
  result.aged_candidates.clear();
  result.aged_verdict = result.aged_beside_pick = {};
  result.aged[0].visits.clear();
  EXPECT_TRUE(is_golden("lab/filesystems/screens/not-aged-80.txt", format_volume_search(result, loop_file, narrow)));
}

TEST_F(filesystems_screen, translates_the_rate_of_other_goals) {
  EXPECT_TRUE(is_golden("lab/filesystems/screens/small-80.txt",
                        format_volume_search(searched(volume_goal::small), loop_file, narrow)));
  const volume_search_result durable = searched(volume_goal::durable);
  EXPECT_TRUE(is_golden("lab/filesystems/screens/durable-132.txt", format_volume_search(durable, loop_file, wide)));
  EXPECT_TRUE(is_golden("lab/filesystems/screens/durable.json", test::golden_json(make_json(durable, loop_file))));
}

TEST_F(filesystems_screen, without_a_valid_trial_has_no_verdict) {
  volume_search_result result = searched(volume_goal::large);
  for (candidate& each : result.candidates)
    for (trial_result& trial : each.trials) spoil(trial);
  result.verdict = rank_candidates(io_class::at_close, result.candidates);
  EXPECT_TRUE(is_golden("lab/filesystems/screens/invalid-80.txt", format_volume_search(result, device, narrow)));
}

TEST(filesystems_list, has_what_works_here) {
  std::vector<listed_kind> kinds;
  for (const volume_kind& each : volume_kinds())
    kinds.push_back({&each, each.type == "f2fs" ? "mkfs.f2fs is missing (Debian package f2fs-tools)" : ""});
  EXPECT_TRUE(is_golden("lab/filesystems/screens/list-80.txt", format_kinds(kinds, narrow)));
  EXPECT_TRUE(is_golden("lab/filesystems/screens/list-132.txt", format_kinds(kinds, wide)));
  EXPECT_TRUE(is_golden("lab/filesystems/screens/list.json", test::golden_json(kinds)));
}

}  // namespace
}  // namespace freshet::tool
