// The search for the best volume, on simulated machines.
#include "lab/filesystems/volume_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/filesystems/volume.hpp"
#include "tests/lab/filesystems/simulated_volumes.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

using testing::Contains;
using testing::HasSubstr;
using simulated_machine = test::simulated_volumes;
using test::usual_setup;
using testing::StartsWith;

bool has(const trial_plan& plan, std::string_view option) { return plan.volume.find(option) != std::string::npos; }

TEST(a_search_of_volumes, finds_file_system_options_and_method_together) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
    double seconds = parse_volume(plan.volume).type == "xfs" ? 0.5 : 0.6;
    if (plan.method == "direct") seconds *= 0.8;
    if (has(plan, "agcount=4")) seconds *= 0.8;
    if (has(plan, "noatime")) seconds *= 0.85;
    return seconds;
  }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  ASSERT_FALSE(result.verdict.ranking.empty());
  const trial_plan& pick = result.verdict.ranking.front().plan;
  EXPECT_EQ(pick.method, "direct");
  EXPECT_THAT(pick.volume, StartsWith("xfs"));
  EXPECT_TRUE(has(pick, "agcount=4")) << pick.volume;
  EXPECT_TRUE(has(pick, "noatime")) << pick.volume;
  EXPECT_NE(result.verdict.state, verdict_state::undecided);
  EXPECT_LE(machine.clock, 600 + 5);
}

TEST(a_search_of_volumes, prefers_fewer_options_where_they_change_nothing) {
  simulated_machine machine{
      .seconds_per_gb = [](const trial_plan& plan) { return parse_volume(plan.volume).type == "xfs" ? 0.4 : 0.6; }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  ASSERT_FALSE(result.verdict.ranking.empty());
  EXPECT_EQ(result.verdict.ranking.front().plan.volume, "xfs");
}

TEST(a_search_of_volumes, tries_only_what_it_was_given_if_nothing_may_vary) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.5; }};
  volume_search_setup setup = usual_setup();
  setup.vary = false;
  (void)search_volumes(setup, machine.open());
  for (const auto& [name, visits] : machine.visits)
    EXPECT_THAT((std::set<std::string>{"ext4", "xfs", "btrfs", "ext4, aged", "xfs, aged", "btrfs, aged"}),
                Contains(name));
}

TEST(a_search_of_volumes, surveys_all_types_and_ages_finalists) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
    double seconds = parse_volume(plan.volume).type == "xfs" ? 0.4 : 0.6;
    return is_aged(plan.volume) ? 2 * seconds : seconds;
  }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  std::set<std::string> types;
  for (const surveyed_volume& each : result.survey) {
    types.insert(parse_volume(each.plan.volume).type);
    ASSERT_FALSE(each.visits.empty()) << each.plan.volume;
    EXPECT_EQ(each.visits.front().trials.size(), 4U) << "large, cold, small and synced";
  }
  EXPECT_EQ(types, (std::set<std::string>{"ext4", "xfs", "btrfs"}));
  ASSERT_FALSE(result.aged_verdict.ranking.empty());
  EXPECT_TRUE(is_aged(result.aged_verdict.ranking.front().plan.volume));
  EXPECT_GE(result.aged.size(), 2U) << "another type shows whether the verdict holds";
}

TEST(a_search_of_volumes, sees_that_the_verdict_changes_with_age) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
    const bool is_xfs = parse_volume(plan.volume).type == "xfs";
    return is_aged(plan.volume) ? (is_xfs ? 2.0 : 0.7) : (is_xfs ? 0.4 : 0.6);
  }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  EXPECT_THAT(result.verdict.ranking.front().plan.volume, StartsWith("xfs"));
  ASSERT_FALSE(result.aged_verdict.ranking.empty());
  EXPECT_EQ(result.aged_verdict.ranking.front().plan.volume.find("xfs"), std::string::npos);
}

TEST(a_search_of_volumes, ranks_what_its_goal_says) {
  for (const volume_goal goal : {volume_goal::large, volume_goal::small, volume_goal::durable}) {
    simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
      const std::string type = parse_volume(plan.volume).type;
      const std::string best = plan.workload == workload_kind::files         ? "btrfs"
                               : plan.measured_class == io_class::each_write ? "ext4"
                                                                             : "xfs";
      return type == best ? 0.4 : 0.8;
    }};
    const volume_search_result result = search_volumes(usual_setup(goal), machine.open());
    ASSERT_FALSE(result.verdict.ranking.empty());
    const std::string wanted = goal == volume_goal::large ? "xfs" : goal == volume_goal::small ? "btrfs" : "ext4";
    EXPECT_THAT(result.verdict.ranking.front().plan.volume, StartsWith(wanted));
  }
}

TEST(a_search_of_volumes, drops_what_cannot_be_made_with_the_reason) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.5; }};
  volume_source source = machine.open();
  source.run = [&](const std::string& volume, std::span<const trial_plan> plans) {
    if (volume.starts_with("btrfs"))
      throw error{std::make_error_code(std::errc::not_supported), "make the volume", volume, error::no_offset,
                  "no disk"};
    return machine.run(volume, plans);
  };
  const volume_search_result result = search_volumes(usual_setup(), source);
  std::vector<std::string> dropped;
  for (const candidate& each : result.candidates)
    if (each.trials.empty()) dropped.push_back(each.dropped);
  EXPECT_THAT(dropped, Contains(HasSubstr("no disk")));
  for (const ranked_candidate& each : result.verdict.ranking)
    EXPECT_EQ(each.plan.volume.find("btrfs"), std::string::npos);
}

TEST(a_search_of_volumes, keeps_within_its_time_however_short) {
  for (const double seconds : {5.0, 30.0, 120.0}) {
    simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 2.0; }};
    volume_search_setup setup = usual_setup();
    setup.seconds = seconds;
    (void)search_volumes(setup, machine.open());
    EXPECT_LE(machine.clock, seconds + 4) << "a visit may be under way when the time is over";
  }
}

TEST(a_search_of_volumes, keeps_within_its_bytes_of_mkfs_and_aging_too_and_leaves_some_for_each_part) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.2; }, .noise = 0.5};
  volume_search_setup setup = usual_setup();
  setup.bytes = std::uint64_t{60} << 30;
  setup.bytes_to_age = std::uint64_t{2} << 30;
  volume_source source = machine.open();
  source.run = [&](const std::string& volume, std::span<const trial_plan> plans) {
    machine.written += is_aged(volume) ? setup.bytes_to_age : std::uint64_t{100} << 20;
    return machine.run(volume, plans);
  };
  const volume_search_result result = search_volumes(setup, source);
  EXPECT_EQ(result.end, race_end::bytes) << "nothing is told apart";
  EXPECT_LE(machine.written, setup.bytes);
  EXPECT_FALSE(result.survey.front().visits.empty());
  EXPECT_FALSE(result.aged_verdict.ranking.empty());
}

TEST(a_search_of_volumes, drops_a_volume_that_is_too_small_for_the_files) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.5; }};
  volume_source source = machine.open();
  source.run = [&](const std::string& volume, std::span<const trial_plan> plans) {
    if (volume.find("largefile") != std::string::npos)
      throw error{std::make_error_code(std::errc::no_space_on_device), "open", "small/20/2015"};
    return machine.run(volume, plans);
  };
  const volume_search_result result = search_volumes(usual_setup(volume_goal::small), source);
  std::vector<std::string> dropped;
  for (const candidate& each : result.candidates)
    if (each.trials.empty()) dropped.push_back(each.dropped);
  EXPECT_THAT(dropped, Contains(HasSubstr("No space left on device")));
  EXPECT_FALSE(result.verdict.ranking.empty());
}

// A visit of an aged volume takes so long that the time lasts for one.
TEST(a_search_of_volumes, ages_the_pick_first_and_says_why_not_the_rest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
      return is_aged(plan.volume) ? 200.0 : parse_volume(plan.volume).type == "ext4" ? 0.4 : 0.6;
    }};
    volume_search_setup setup = usual_setup();
    setup.seconds = 90;
    setup.seed = seed;
    const volume_search_result result = search_volumes(setup, machine.open());
    ASSERT_FALSE(result.aged.empty());
    EXPECT_EQ(result.aged.front().plan.volume, result.verdict.ranking.front().plan.volume + std::string{aged_suffix});
    EXPECT_EQ(result.aged.front().visits.size(), 1U) << "seed " << seed;
    EXPECT_TRUE(result.aged.back().visits.empty());
    EXPECT_EQ(result.aging_ended, "no time was left");
  }
}

TEST(a_search_of_volumes, says_that_there_was_too_little_left_to_write) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.2; }};
  volume_search_setup setup = usual_setup();
  setup.bytes_to_age = setup.bytes;
  const volume_search_result result = search_volumes(setup, machine.open());
  EXPECT_EQ(result.aging_ended, "too little was left to be written (--max-bytes)");
  EXPECT_TRUE(result.aged_beside_pick.ranking.empty());
}

TEST(a_search_of_volumes, ranks_aged_volumes_beside_the_pick) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan& plan) {
    const bool is_xfs = parse_volume(plan.volume).type == "xfs";
    return is_aged(plan.volume) ? (is_xfs ? 1.4 : 0.7) : (is_xfs ? 0.4 : 0.6);
  }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  const std::vector<ranked_candidate>& ranking = result.aged_beside_pick.ranking;
  ASSERT_GE(ranking.size(), 2U);
  EXPECT_EQ(ranking.size(), result.aged_verdict.ranking.size());
  EXPECT_EQ(ranking[0].place, rank_class::pick);
  EXPECT_EQ(ranking[0].plan.volume, result.verdict.ranking.front().plan.volume + std::string{aged_suffix});
  EXPECT_EQ(ranking[1].plan, result.aged_verdict.ranking.front().plan);
  EXPECT_EQ(ranking[1].place, rank_class::leading);
  EXPECT_NEAR(ranking[1].to_leader.ratio.value, 0.5, 0.05);
  EXPECT_EQ(ranking[1].to_leader.result, outcome::better);
}

TEST(a_search_of_volumes, keeps_every_trial_that_counts) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.5; }};
  const volume_search_result result = search_volumes(usual_setup(), machine.open());
  std::size_t trials = 0;
  for (const candidate& each : result.candidates) trials += each.trials.size();
  for (const std::vector<surveyed_volume>* part : {&result.survey, &result.aged})
    for (const surveyed_volume& each : *part)
      for (const visit& one : each.visits) trials += one.trials.size();
  EXPECT_EQ(machine.kept.size(), trials);
}

TEST(a_search_of_volumes, refuses_methods_that_cannot_do_it) {
  simulated_machine machine{.seconds_per_gb = [](const trial_plan&) { return 0.5; }};
  volume_search_setup setup = usual_setup(volume_goal::durable);
  setup.methods = {"stdio"};  // cannot sync each write
  EXPECT_THROW((void)search_volumes(setup, machine.open()), error);
}

}  // namespace
}  // namespace freshet::tool
