// Whether a change is real: `freshet compare`.
#include <gmock/gmock.h>

#include "tests/support/golden.hpp"
#include "tests/tool/store/kept_trials.hpp"

namespace freshet {
namespace {

using test::ended;
using test::kept_plan;
using test::kept_trials;
using testing::AllOf;
using testing::HasSubstr;

const std::vector<double> usual{1.00, 1.01, 0.99, 1.02, 0.98, 1.005, 0.995, 1.015};

std::vector<double> times(double factor) {
  std::vector<double> seconds = usual;
  for (double& one : seconds) one *= factor;
  return seconds;
}

class compare_command : public testing::Test {
 protected:
  kept_trials kept_;
};

TEST_F(compare_command, tells_which_plans_of_two_runs_differ) {
  kept_.add_run(1, {{kept_trials::plan("uring", 4096, 2), usual}, {kept_trials::plan("direct", 4096), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring", 4096, 2), times(1.2)}, {kept_trials::plan("direct", 4096), usual}});
  const ended done = kept_.run({"compare", "1", "2"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(test::is_golden("tool/command/screens/compare.txt", done.out));
  const auto json = kept_.json({"compare", "last~1", "last"});
  ASSERT_EQ(json.at("plans").size(), 2U);
  EXPECT_EQ(json.at("plans")[0].at("result"), "worse");
  EXPECT_NEAR(json.at("plans")[0].at("ratio"), 1.2, 1e-9);
  EXPECT_NEAR(json.at("plans")[0].at("own_time").at("ratio"), 1.2, 1e-9) << "others had no processor";
  EXPECT_EQ(json.at("plans")[1].at("result"), "same");
  EXPECT_EQ(json.at("changes"), nlohmann::json::array({"kernel 6.1.1 -> 6.1.2"}));
  EXPECT_EQ(json.at("failed"), false);
}

TEST_F(compare_command, compares_plans_that_differ_in_one_option) {
  const auto differs = [&](const std::string& option, auto change) {
    tool::trial_plan other = kept_trials::plan("auto");
    change(other);
    kept_trials kept;
    kept.add_run(1, {{kept_trials::plan("auto"), usual}, {kept_trials::plan("direct"), usual}});
    kept.add_run(2, {{other, times(0.5)}});
    const ended as_usual = kept.run({"compare", "1", "2"});
    EXPECT_EQ(as_usual.exit_code, 1) << option;
    EXPECT_THAT(as_usual.err, HasSubstr("nothing in common")) << option;
    const nlohmann::json plans = kept.json({"compare", "1", "2", "--across", option}).at("plans");
    ASSERT_EQ(plans.size(), 1U) << option;
    EXPECT_NEAR(plans[0].at("ratio"), 0.5, 1e-9) << option;
    EXPECT_NE(plans[0].at("labels")[0], plans[0].at("labels")[1]) << option;
  };
  differs("reserve", [](tool::trial_plan& plan) { plan.reserve = true; });
  differs("unordered", [](tool::trial_plan& plan) { plan.ordered = false; });
  differs("access", [](tool::trial_plan& plan) { plan.access = access::once; });
  differs("caching", [](tool::trial_plan& plan) { plan.caching = caching::drop; });
  differs("block", [](tool::trial_plan& plan) { plan.block = 65536; });
  differs("depth", [](tool::trial_plan& plan) { plan.depth = 8; });
}

TEST_F(compare_command, does_not_mix_methods_across_an_option) {
  tool::trial_plan reserved = kept_trials::plan("uring");
  reserved.reserve = true;
  kept_.add_run(1, {{kept_trials::plan("direct"), usual}});
  kept_.add_run(2, {{reserved, usual}});
  EXPECT_EQ(kept_.run({"compare", "1", "2", "--across", "reserve"}).exit_code, 1);
}

TEST_F(compare_command, fails_if_something_is_certainly_worse) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring"), times(1.2)}});
  const ended failed = kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("1 of 1 certainly worse by more than 5 %"));
  EXPECT_EQ(kept_.run({"compare", "1", "2", "--fail-if-worse", "25"}).exit_code, 0);
  EXPECT_EQ(kept_.run({"compare", "2", "1", "--fail-if-worse", "0%"}).exit_code, 0);  // it got better
}

TEST_F(compare_command, says_what_is_missing_if_it_cannot_tell) {
  // Twice as slow, in three rounds each: the chance of that is one in ten.
  kept_.add_run(1, {{kept_trials::plan("uring"), {1, 1.01, 0.99}}});
  kept_.add_run(2, {{kept_trials::plan("uring"), {2, 2.01, 1.99}}});
  const ended few = kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"});
  EXPECT_EQ(few.exit_code, 3);
  EXPECT_THAT(few.err, HasSubstr("cannot tell in 1 of 1 plan"));
  EXPECT_EQ(kept_.run({"compare", "1", "2"}).exit_code, 0) << "nothing was asked for";
  EXPECT_EQ(kept_.json({"compare", "1", "2"}).at("failed"), false);
}

TEST_F(compare_command, sees_a_slowdown_of_two_in_the_rounds_of_bench) {
  kept_.add_run(1, {{kept_trials::plan("uring"), {1, 1.2, 0.9, 1.1, 0.8, 1}}});
  kept_.add_run(2, {{kept_trials::plan("uring"), {2, 2.3, 1.7, 2.2, 1.9, 2.1}}});
  kept_.add_run(3, {{kept_trials::plan("uring"), {1.1, 0.9, 1.1, 1, 0.95, 0.9}}});
  EXPECT_EQ(kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"}).exit_code, 1);
  EXPECT_EQ(kept_.run({"compare", "1", "3", "--fail-if-worse", "5%"}).exit_code, 0);
}

TEST_F(compare_command, pairs_the_rounds_of_one_run) {
  // Both drift by more than they differ.
  const std::vector<double> drifting{1, 1.3, 1.7, 2.2, 2.9, 3.7};
  std::vector<double> slower = drifting;
  for (double& one : slower) one *= 1.5;
  kept_.add_run(1, {{kept_trials::plan("direct"), drifting}, {kept_trials::plan("uring"), slower}});
  const ended within = kept_.run({"compare", "direct", "uring", "--fail-if-worse", "5%"});
  EXPECT_EQ(within.exit_code, 1);
  EXPECT_EQ(kept_.json({"compare", "direct", "uring"}).at("plans").at(0).at("paired"), true);
  kept_.add_run(2, {{kept_trials::plan("direct"), slower}});
  const ended between = kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"});
  EXPECT_EQ(between.exit_code, 3);
  EXPECT_EQ(kept_.json({"compare", "1", "2"}).at("plans").at(0).at("paired"), false);
}

// Two searches may come to files of different sizes.
TEST_F(compare_command, compares_the_sizes_that_both_sides_have) {
  auto larger = kept_trials::plan("uring");
  larger.size *= 2;
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring"), times(1.2)}, {larger, usual}});
  const auto plans = kept_.json({"compare", "1", "2"}).at("plans");
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].at("size"), kept_trials::size);
  EXPECT_NEAR(plans[0].at("ratio"), 1.2, 1e-9);
}

TEST_F(compare_command, never_compares_across_classes) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring", 0, 0, tool::io_class::at_close), usual}});
  const ended done = kept_.run({"compare", "1", "2"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("nothing in common"), HasSubstr("has none"), HasSubstr("has at_close"),
                              HasSubstr("different classes are never compared")));
}

TEST_F(compare_command, never_compares_slow_new_memory_with_quick) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{.plan = kept_trials::plan("uring"), .seconds = usual, .met_slow_memory = true}});
  const ended done = kept_.run({"compare", "1", "2"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(
      done.err,
      AllOf(HasSubstr("new memory was slow to touch before the trials of B, and quick before those of the other"),
            HasSubstr("or both with --memory left")));
}

TEST_F(compare_command, cannot_tell_for_scripts_where_no_state_of_memory_is_shared) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{.plan = kept_trials::plan("uring"), .seconds = usual, .met_slow_memory = true}});
  const ended done = kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("cannot tell: nothing in common"));
}

// Neither state has six trials of each run; together they do.
TEST_F(compare_command, judges_both_states_of_memory_at_once) {
  const auto add = [&](unsigned day, std::vector<double> slow, std::vector<double> quick) {
    kept_.add_run(day, {{.plan = kept_trials::plan("uring"), .seconds = std::move(slow), .met_slow_memory = true},
                        {.plan = kept_trials::plan("uring"), .seconds = std::move(quick)}});
  };
  add(1, {5.0, 5.2}, {1.0, 1.1, 1.05, 1.02});
  add(2, {5.1}, {1.03, 1.08, 1.01, 1.06, 1.04});
  add(3, {9.0}, {2.1, 2.2, 2.0, 2.3, 2.4});
  EXPECT_EQ(kept_.run({"compare", "1", "2", "--fail-if-worse", "5%"}).exit_code, 0);
  const ended slower = kept_.run({"compare", "1", "3", "--fail-if-worse", "5%"});
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_THAT(slower.err, HasSubstr("1 of 1 certainly worse"));
}

TEST_F(compare_command, compares_by_the_clock_that_the_class_ranks_by) {
  kept_.add_run(1, {{kept_trials::plan("uring", 0, 0, tool::io_class::at_close), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring", 0, 0, tool::io_class::at_close), usual}});
  EXPECT_NEAR(kept_.json({"compare", "1", "2"}).at("plans")[0].at("seconds_per_gb")[0], 2.005, 1e-9);
  const auto closed = kept_.json({"compare", "1", "2", "--metric", "close"});
  EXPECT_NEAR(closed.at("plans")[0].at("seconds_per_gb")[0], 1.0025, 1e-9);
  EXPECT_NEAR(kept_.json({"compare", "1", "2", "--metric", "cpu"}).at("plans")[0].at("seconds_per_gb")[0], 0.1, 1e-9);
}

TEST_F(compare_command, says_of_cpu_time_which_is_cheaper) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring"), times(0.5)}});
  const auto cpu = kept_.json({"compare", "1", "2", "--metric", "cpu"});
  EXPECT_EQ(cpu.at("metric"), "cpu");
  EXPECT_EQ(cpu.at("plans").at(0).at("gain"), "as cheap (1.00-1.00)");
  EXPECT_EQ(cpu.at("plans").at(0).at("result"), "same");
  const auto time = kept_.json({"compare", "1", "2"});
  EXPECT_EQ(time.at("metric"), "ranking");
  EXPECT_EQ(time.at("plans").at(0).at("result"), "better");
}

TEST_F(compare_command, compares_methods_by_the_settings_they_share) {
  kept_.add_run(1, {{kept_trials::plan("uring", 4096, 2), usual},
                    {kept_trials::plan("uring", 8192, 4), times(0.9)},
                    {kept_trials::plan("direct", 4096), times(1.3)},
                    {kept_trials::plan("direct", 65536), times(1.1)}});
  // Both methods were measured with blocks of 4096 bytes, but with no common depth.
  const auto json = kept_.json({"compare", "uring", "direct", "--run", "last"});
  ASSERT_EQ(json.at("plans").size(), 1U);
  EXPECT_EQ(json.at("plans")[0].at("labels"), nlohmann::json::array({"uring 4 KiB x 2", "direct 4 KiB"}));
  EXPECT_EQ(json.at("plans")[0].at("result"), "worse");
  EXPECT_EQ(json.at("unmatched"), nlohmann::json::array({1, 1}));
}

TEST_F(compare_command, compares_the_best_of_methods_that_share_no_block) {
  kept_.add_run(1, {{kept_trials::plan("buffered", 4096), times(1.5)},
                    {kept_trials::plan("buffered", 8192), usual},
                    {kept_trials::plan("stdio"), times(2)}});
  const auto json = kept_.json({"compare", "stdio", "buffered"});
  ASSERT_EQ(json.at("plans").size(), 1U);
  EXPECT_EQ(json.at("plans")[0].at("labels"), nlohmann::json::array({"stdio", "buffered 8 KiB"}));
  EXPECT_EQ(json.at("plans")[0].at("result"), "better");
}

TEST_F(compare_command, compares_methods_within_one_place_only) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}}, "ext4");
  kept_.add_run(2, {{kept_trials::plan("direct"), usual}}, "xfs");
  EXPECT_THAT(kept_.run({"compare", "uring", "direct"}).err, HasSubstr("nothing in common"));
}

TEST_F(compare_command, compares_environments) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}}, "ext4");
  kept_.add_run(2, {{kept_trials::plan("uring"), times(0.7)}}, "xfs");
  const auto json = kept_.json({"compare", "ext4", "xfs"});
  EXPECT_EQ(json.at("plans")[0].at("result"), "better");
  EXPECT_EQ(kept_.json({"compare", "/data/xfs", "ext4"}).at("plans")[0].at("result"), "worse");
}

TEST_F(compare_command, compares_before_with_after) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(2, {{kept_trials::plan("uring"), usual}});
  kept_.add_run(5, {{kept_trials::plan("uring"), times(1.2)}});
  const auto json = kept_.json({"compare", "--since", "2026-03-04"});
  EXPECT_EQ(json.at("plans")[0].at("trials"), nlohmann::json::array({16, 8}));
  EXPECT_EQ(json.at("plans")[0].at("result"), "worse");
}

TEST_F(compare_command, leaves_out_invalid_trials_and_says_why) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}, {kept_trials::plan("direct"), usual, "the content differs"}});
  kept_.add_run(2, {{kept_trials::plan("uring"), usual}, {kept_trials::plan("direct"), usual}});
  const auto json = kept_.json({"compare", "1", "2"});
  EXPECT_EQ(json.at("left_out"), (nlohmann::json{{"the content differs", 8}}));
  EXPECT_EQ(json.at("plans").size(), 1U);
  EXPECT_EQ(json.at("unmatched"), nlohmann::json::array({0, 1}));
}

TEST_F(compare_command, says_how_many_trials_are_needed) {
  kept_.add_run(1, {{kept_trials::plan("uring"), {1, 1.1, 1.2}}});
  kept_.add_run(2, {{kept_trials::plan("uring"), {2, 2.1, 2.2}}});
  const auto json = kept_.json({"compare", "1", "2"});
  EXPECT_EQ(json.at("plans").at(0).at("result"), "cannot tell");
  EXPECT_EQ(json.at("trials_needed"), 4);
}

TEST_F(compare_command, refuses_unknown_names) {
  kept_.add_run(1, {{kept_trials::plan("uring"), usual}});
  const auto fails = [&](std::vector<std::string> words, int exit_code, const std::string& reason) {
    words.insert(words.begin(), "compare");
    const ended done = kept_.run(words);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(reason));
  };
  fails({"1", "7"}, 1, "there is no run 7 among those selected; freshet history lists all");
  fails({"last~1", "last"}, 1, "there is no run last~1: 1 run is kept");
  fails({"1", "1"}, 1, "both are run 1");
  fails({"uring", "quantum"}, 1, "\"quantum\" is not a run, and no stored trial has such a method or environment");
  fails({"1", "uring"}, 1, "not of the same kind");
  fails({}, 2, "expected A and B, or --since DATE");
  fails({"1", "2", "--since", "2026"}, 2, "expected A and B, or --since DATE");
  fails({"1"}, 2, "");
  fails({"--since", "yesterday"}, 2, "is not a date");
  fails({"1", "2", "--fail-if-worse", "much"}, 2, "\"much\" is not a percentage");
  fails({"1", "2", "--fail-if-worse", "-5%"}, 2, "is not a percentage");
  fails({"1", "2", "--metric", "joy"}, 2, "is not a metric: expected ranking, close, disk or cpu");
}

TEST(compare_without_a_store, says_so) {
  const test::freshet_command freshet;
  const ended done = freshet.run({"compare", "1", "2", "--store", "/nonexistent/trials.sqlite"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("/nonexistent/trials.sqlite: nothing was measured yet"));
}

}  // namespace
}  // namespace freshet
