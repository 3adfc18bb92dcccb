// apply_gates() on made-up trials, on both sides of each limit.
#include "tool/trial/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tool/trial/good_trial.hpp"

namespace freshet::tool {
namespace {

using test::gigabyte;
using test::good_trial;
using test::on;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

trial_result judged(trial_result trial, const detail::os::file_system& place = on("ext4")) {
  apply_gates(trial, true, place);
  return trial;
}

TEST(apply_gates, finds_nothing_against_a_good_trial) {
  trial_result trial = good_trial();
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::valid);
  EXPECT_TRUE(trial.reasons.empty());
}

TEST(apply_gates, does_not_believe_a_file_with_other_content) {
  trial_result trial = good_trial();
  apply_gates(trial, false, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_EQ(trial.reasons, std::vector<std::string>{"the file does not hold what was written"});
}

TEST(apply_gates, wants_the_device_to_have_seen_what_is_claimed) {
  trial_result trial = good_trial();
  trial.device_bytes = 980'000'000;
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::valid);
  trial.device_bytes = 979'999'999;
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  apply_gates(trial, true, on("btrfs"));
  EXPECT_EQ(trial.validity, trial_validity::unknown);
  trial.device_bytes.reset();
  apply_gates(trial, true, on("tmpfs"));
  EXPECT_EQ(trial.validity, trial_validity::unknown);
}

TEST(apply_gates, does_not_take_one_method_for_another) {
  trial_result trial = good_trial();
  trial.method = "direct";
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  trial.plan.method = "auto";
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::valid);
}

TEST(apply_gates, believes_what_a_program_says_of_its_method) {
  trial_result trial = good_trial();
  trial.plan.method = trial.method = "c-direct";
  apply_gates(trial, true, on("ext4"), {}, {.wanted = "direct", .used = "direct"});
  EXPECT_EQ(trial.validity, trial_validity::valid);
  apply_gates(trial, true, on("ext4"), {}, {.wanted = "direct", .used = "buffered"});
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_EQ(trial.reasons, std::vector<std::string>{"written by buffered, not by direct"});
  apply_gates(trial, true, on("ext4"), {}, {.wanted = "auto", .used = "buffered"});
  EXPECT_EQ(trial.validity, trial_validity::valid);
}

TEST(apply_gates, keeps_a_trial_invalid_that_is_unknown_besides) {
  trial_result trial = good_trial();
  trial.device_bytes.reset();
  apply_gates(trial, false, on("tmpfs"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_EQ(trial.reasons.size(), 2U);
}

TEST(processor_gates, knows_heat) {
  trial_result trial = good_trial();
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.heat_events = 1;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons, ElementsAre("the CPU was thermally throttled 1 time"));
  trial.heat_events = 0;
  trial.cooling_steps = 2;
  EXPECT_THAT(judged(trial).reasons, ElementsAre("the CPU was slowed down by 2 steps to cool the machine"));
}

TEST(processor_gates, allows_a_quota_a_share_of_the_time) {
  trial_result trial = good_trial();
  trial.quota_seconds = 0.0200;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.quota_seconds = 0.0201;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons, ElementsAre("a quota withheld 0.020 s of CPU time, more than 0.020 s (1 %)"));
}

TEST(processor_gates, allows_the_hypervisor_a_share_and_a_few_ticks) {
  trial_result trial = good_trial();
  trial.cpu_stolen = 1.00;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.cpu_stolen = 1.01;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons, ElementsAre("the hypervisor gave 1.01 s of CPU time to others, more than 1.00 s"));
  trial.seconds_to_disk = 0.1;
  trial.cpu_stolen = 0.10;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.cpu_stolen = 0.11;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(processor_gates, allows_others_half_of_the_time_that_the_program_waits_for) {
  trial_result trial = good_trial();
  trial.cpu_waited = {};
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.cpu_waited = 0.50 * trial.seconds_to_close;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.cpu_waited = 0.51 * trial.seconds_to_close;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons,
              ElementsAre(testing::MatchesRegex(
                  "others had the processors for [0-9.]+ s of [0-9.]+ while it was ready to run")));
  trial.seconds_to_close = 0.06;  // too short for the ticks of the others
  trial.cpu_waited = 0.05;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.cpu_waited = 0.051;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(processor_gates, knows_sleep) {
  trial_result trial = good_trial();
  trial.suspended_seconds = 0.001;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.suspended_seconds = 3;
  EXPECT_THAT(judged(trial).reasons, ElementsAre("the machine was suspended for 3.00 s"));
}

TEST(device_gates, names_who_wrote_to_the_device) {
  trial_result trial = good_trial();
  trial.device_bytes = gigabyte + 12'000'000;
  trial.written_by_others = {{"dd", 8'000'000}, {"cp", 3'000'000}};
  const trial_result with_reasons = judged(trial);
  EXPECT_EQ(with_reasons.validity, trial_validity::disturbed) << "it counts where there are few others";
  EXPECT_THAT(with_reasons.reasons, ElementsAre("others wrote to sda meanwhile, 1 % of the trial's bytes: dd 7.63 MiB, "
                                                "cp 2.86 MiB"));
  EXPECT_EQ(with_reasons.written_by_others, trial.written_by_others);
}

TEST(device_gates, names_some_of_many) {
  trial_result trial = good_trial();
  trial.device_bytes = 2 * gigabyte;
  for (const char* name : {"a", "b", "c", "d", "e"}) trial.written_by_others[name] = 9'000'000;
  EXPECT_THAT(judged(trial).reasons, ElementsAre(HasSubstr(", and 2 more")));
}

TEST(device_gates, allows_them_a_share_of_the_bytes) {
  trial_result trial = good_trial();
  trial.device_bytes = gigabyte + 10'000'000;
  trial.written_by_others = {{"dd", 9'999'999}};
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  EXPECT_THAT(judged(trial).written_by_others, IsEmpty());
  trial.written_by_others = {{"dd", 10'000'000}};
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(device_gates, allows_them_a_mebibyte_whatever_the_trial_s_size) {
  trial_result trial = good_trial();
  trial.bytes = 1000;
  trial.device_bytes = 2 << 20;
  trial.written_by_others = {{"dd", (1 << 20) - 1}};
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.written_by_others = {{"dd", 1 << 20}};
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(device_gates, leaves_alone_who_writes_elsewhere) {
  trial_result trial = good_trial();
  trial.device_bytes = gigabyte + 9'999'999;
  trial.written_by_others = {{"dd", gigabyte}};
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  EXPECT_THAT(judged(trial).written_by_others, IsEmpty());
  trial.device_bytes = gigabyte + 10'000'000;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  // Without a device to be seen, nothing is reported about other writers.
  trial.device_bytes.reset();
  EXPECT_THAT(judged(trial, on("tmpfs")).reasons, ElementsAre("the device below tmpfs cannot be seen"));
}

TEST(device_gates, counts_all_that_is_written_while_it_reads) {
  for (const io_class measured_class : {io_class::cold, io_class::warm}) {
    trial_result trial = good_trial(measured_class);
    trial.written_by_others = {{"dd", gigabyte}};
    trial.device_bytes = 9'999'999;
    EXPECT_EQ(judged(trial).validity, trial_validity::valid);
    trial.device_bytes = 10'000'000;
    EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  }
}

// Of another program's blocks only the calls that wrote them are known.
TEST(device_gates, does_not_take_the_journal_of_other_programs_durable_writes_for_them) {
  trial_result trial = good_trial(io_class::each_write);
  trial.written_by_others = {{"dd", gigabyte}};
  trial.write_calls = 1000;
  const auto journal = static_cast<std::uint64_t>(1000 * journal_per_block);
  trial.device_bytes = gigabyte + journal;
  EXPECT_EQ(judged(trial).validity, trial_validity::unknown);
  trial.device_bytes = gigabyte + 2 * journal;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(device_gates, does_not_take_the_journal_of_durable_blocks_for_them) {
  trial_result trial = good_trial(io_class::each_write);
  trial.block_latency.add_bucket(8, 1000);
  const auto journal = static_cast<std::uint64_t>(1000 * journal_per_block);
  trial.written_by_others = {{"dd", 10'000'000}};
  trial.device_bytes = gigabyte + journal + 9'999'999;
  EXPECT_EQ(judged(trial).validity, trial_validity::unknown);
  EXPECT_THAT(judged(trial).reasons, ElementsAre("others may have written to sda meanwhile: dd 9.54 MiB"));
  trial.device_bytes = gigabyte + journal + 10'000'000;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(device_gates, does_not_know_where_bytes_may_shrink) {
  trial_result trial = good_trial();
  trial.written_by_others = {{"dd", 10'000'000}};
  EXPECT_EQ(judged(trial, on("btrfs")).validity, trial_validity::valid);
  trial.device_bytes = gigabyte - 1;
  EXPECT_EQ(judged(trial, on("btrfs")).validity, trial_validity::unknown);
  EXPECT_EQ(judged(trial, on("ext4")).validity, trial_validity::valid);
}

TEST(device_gates, wants_clear_excess_where_nobody_is_named) {
  trial_result trial = good_trial();
  trial.device_bytes = gigabyte + 250'000'000;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.device_bytes = gigabyte + 250'000'001;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons,
              ElementsAre("sda saw 250000001 bytes more than were written here; by another process?"));
  // Those that write all twice may.
  for (const detail::os::file_system& place : {on("ext4", "rw,data=journal"), on("btrfs")}) {
    trial.device_bytes = 2 * gigabyte + 250'000'000;
    EXPECT_EQ(judged(trial, place).validity, trial_validity::valid);
    trial.device_bytes = 2 * gigabyte + 250'000'001;
    EXPECT_EQ(judged(trial, place).validity, trial_validity::disturbed);
  }
  trial.bytes = 1000;
  trial.device_bytes = (16 << 20) + 1000;
  EXPECT_EQ(judged(trial).validity, trial_validity::valid);
  trial.device_bytes = (16 << 20) + 1001;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(device_gates, does_not_know_what_a_busy_device_had_still_to_do) {
  trial_result trial = good_trial();
  trial.started_quiet = false;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
  EXPECT_THAT(judged(trial).reasons, ElementsAre("sda was still busy when it began"));
  trial.written_by_others = {{"dd", gigabyte}};
  trial.device_bytes = 2 * gigabyte;
  EXPECT_EQ(judged(trial).validity, trial_validity::disturbed);
}

TEST(judge, knows_a_cache_drop_that_failed) {
  for (const io_class measured_class : {io_class::none, io_class::cold}) {
    trial_result trial = good_trial(measured_class);
    apply_gates(trial, true, on("ext4"), "4096 bytes stayed in memory");
    EXPECT_EQ(trial.validity, trial_validity::invalid);
    EXPECT_THAT(trial.reasons, ElementsAre("the cache drop failed: 4096 bytes stayed in memory"));
  }
}

TEST(without_files, is_unknown_whatever_others_did) {
  trial_result trial = good_trial();
  trial.written_by_others = {{"dd", gigabyte}};
  trial = without_files(std::move(trial), "null writes no file");
  EXPECT_EQ(trial.validity, trial_validity::unknown);
  EXPECT_THAT(trial.reasons, ElementsAre("null writes no file"));
  EXPECT_THAT(trial.written_by_others, IsEmpty());
}

}  // namespace
}  // namespace freshet::tool
