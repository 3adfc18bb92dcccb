// What the device takes, from made-up stores, and what a program gets of it.
#include "tool/analysis/machine_rate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t size = test::gigabyte;

trial_result make_trial(const std::string& method, double to_disk, double to_close = 0) {
  trial_result trial = test::make_trial({.method = method}, to_close == 0 ? to_disk : to_close, 0, {.cpu = 0});
  trial.seconds_to_disk = to_disk;
  return trial;
}

class machine_rates : public testing::Test {
 protected:
  using change = std::function<void(record&)>;

  // Trials of a GB each, of which each was on the disk after so many seconds.
  void add(const std::string& method, const std::vector<double>& to_disk, const change& changed = {},
           const std::string& began = "2026-06-12T08:00:00Z") {
    for (const double seconds : to_disk) {
      record stored = make_record(make_trial(method, seconds));
      if (changed) changed(stored);
      search_.add(std::move(stored), began);
    }
  }
  [[nodiscard]] std::optional<machine_rate> find() const { return search_.find(); }
  [[nodiscard]] std::string best() const { return find() ? find()->way : "not known"; }

 private:
  machine_rate_search search_;
};

TEST_F(machine_rates, are_those_of_the_best_way_by_time_to_disk) {
  add("buffered", {1, 1, 1, 1, 1, 1}, [](record& each) { each.figures.seconds_to_close = 0.1; });
  add("uring", {0.5, 0.4, 0.5, 0.6, 0.5, 0.5});
  ASSERT_TRUE(find());
  EXPECT_EQ(find()->way, "uring");
  EXPECT_DOUBLE_EQ(find()->rate, 2000);
  EXPECT_EQ(find()->trials, 6U);
  EXPECT_EQ(find()->measured, "2026-06-12T08:00:00Z");
}

TEST_F(machine_rates, name_the_last_day_of_trials_that_count) {
  add("uring", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  add("uring", {0.5}, {}, "2026-06-14T08:00:00Z");
  add(
      "uring", {0.5}, [](record& each) { each.figures.validity = trial_validity::invalid; }, "2026-06-20T08:00:00Z");
  ASSERT_TRUE(find());
  EXPECT_EQ(find()->measured, "2026-06-14T08:00:00Z");
  EXPECT_EQ(find()->trials, 7U);
}

TEST_F(machine_rates, are_not_known_without_trials_that_show_them) {
  EXPECT_EQ(best(), "not known");
  add("uring", {0.5, 0.5});
  EXPECT_EQ(best(), "not known") << "two trials are too few";
  const std::vector<double> six(6, 0.1);
  add("direct", six, [](record& each) { each.figures.validity = trial_validity::invalid; });
  add("direct", six, [](record& each) { each.figures.validity = trial_validity::unknown; });
  add("direct", six, [](record& each) { each.figures.plan.measured_class = io_class::cold; });
  add("direct", six, [](record& each) { each.figures.plan.volume = "xfs"; });
  add("direct", six, [](record& each) { each.plan["options"] = {{"compress", "zstd:1"}}; });
  add("direct", six, [](record& each) { set_purpose(each, trial_purpose::warm_up); });
  add("direct", six, [](record& each) { set_purpose(each, trial_purpose::program); });
  add("direct", six, [](record& each) { each.figures.bytes = (16 << 20) - 1; });
  add("ofstream", six);
  add("ofstream", six, [](record& each) { set_purpose(each, trial_purpose::baseline); });
  add("null", six);
  EXPECT_EQ(best(), "not known") << "none of these shows what the device takes";
}

TEST_F(machine_rates, prefer_ways_with_enough_rounds) {
  add("direct", {0.3, 0.3, 0.3});
  EXPECT_EQ(best(), "direct");
  add("buffered", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(best(), "buffered");
}

// One rule for all outputs: those that nothing disturbed, if there are enough.
TEST_F(machine_rates, leave_disturbed_trials_out_where_others_are_enough) {
  const auto disturb = [](record& each) { each.figures.validity = trial_validity::disturbed; };
  add("uring", {1, 1, 1}, disturb);
  ASSERT_TRUE(find());
  EXPECT_DOUBLE_EQ(find()->rate, 1000);
  add("uring", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  EXPECT_DOUBLE_EQ(find()->rate, 2000);
  EXPECT_EQ(find()->trials, 6U);
}

TEST(machine_rate_runs, are_those_of_this_machine_and_file_system) {
  environment here;
  here.machine = "a machine";
  here.file_system_key = "ext4:1";
  here.file_system = "ext4";
  run same;
  same.command = "tune";
  same.env = here;
  EXPECT_TRUE(tells_machine_rate(same, here));
  for (const char* const command : {"text", "peers", "filesystems", "bytes"}) {
    run other = same;
    other.command = command;
    EXPECT_FALSE(tells_machine_rate(other, here)) << command << " does not look for the best way";
  }
  run other = same;
  other.env.machine = "another";
  EXPECT_FALSE(tells_machine_rate(other, here));
  other = same;
  other.env.file_system_key = "ext4:2";
  EXPECT_FALSE(tells_machine_rate(other, here));
  other = same;
  other.env.file_system = "xfs";
  EXPECT_FALSE(tells_machine_rate(other, here));
}

std::optional<machine_share> share_of(const trial_result& trial) {
  return compare_with_machine({.rate = 2000}, std::vector<const trial_result*>{&trial});
}

TEST(machine_share, is_that_of_the_time_to_disk) {
  const auto share = share_of(make_trial("buffered", 2));
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->share, 0.25);
  EXPECT_EQ(share->waiting, 0U);
  EXPECT_FALSE(share->forms_lines);
}

TEST(machine_share, knows_what_waits_in_memory_where_the_page_cache_was_faster) {
  EXPECT_EQ(share_of(make_trial("buffered", 0.5, 0.2))->waiting, 600'000'000U);
  EXPECT_EQ(share_of(make_trial("buffered", 2, 0.2))->waiting, size) << "no more than the file has";
  EXPECT_EQ(share_of(make_trial("buffered", 1, 0.6))->waiting, 0U) << "slower than the device";
  trial_result direct = make_trial("direct", 0.5, 0.45);
  direct.page_cache = 4096;
  EXPECT_EQ(share_of(direct)->waiting, 4096U) << "the page cache has no more of it";
}

TEST(machine_share, says_that_the_rest_goes_to_forming_lines_where_trials_show_it) {
  trial_result trial = make_trial("ofstream", 8);
  EXPECT_FALSE(share_of(trial)->forms_lines) << "it cannot be seen";
  trial.cpu_user = 3.9;
  EXPECT_FALSE(share_of(trial)->forms_lines);
  trial.cpu_user = 4.1;
  EXPECT_TRUE(share_of(trial)->forms_lines);
  trial.cpu_user = 3.1;
  trial.cpu_waited = 2;
  EXPECT_TRUE(share_of(trial)->forms_lines) << "of the time for which it had a processor";
  trial.seconds_to_disk = 0.5;
  EXPECT_FALSE(share_of(trial)->forms_lines) << "it has all of the rate, and no rest";
  trial.seconds_to_disk = 8;
  trial.plan.workload = workload_kind::blocks;
  EXPECT_FALSE(share_of(trial)->forms_lines) << "there are no lines";
  trial.plan.workload = workload_kind::text;
  trial.plan.jobs = 2;
  EXPECT_FALSE(share_of(trial)->forms_lines) << "the threads' time is longer than the trial";
}

TEST(machine_share, is_that_of_trials_that_may_be_used) {
  trial_result trial = make_trial("buffered", 1);
  trial.validity = trial_validity::invalid;
  EXPECT_FALSE(share_of(trial));
  trial.validity = trial_validity::unknown;
  EXPECT_FALSE(share_of(trial)) << "what the device did cannot be seen";
  EXPECT_FALSE(compare_with_machine({.rate = 2000}, {}));
}

}  // namespace
}  // namespace freshet::tool
