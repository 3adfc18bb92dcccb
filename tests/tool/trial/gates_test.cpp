// What apply_gates() finds of made-up trials, on both sides of each limit.
#include "tool/trial/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tool/trial/good_trial.hpp"

namespace freshet::tool {
namespace {

using test::gigabyte;
using test::good_trial;
using test::on;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

trial_result judged(trial_result made, const detail::os::file_system& place = on("ext4")) {
  apply_gates(made, true, place);
  return made;
}

TEST(processor_gates, knows_heat) {
  trial_result made = good_trial();
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.heat_events = 1;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  EXPECT_THAT(judged(made).reasons, ElementsAre("the CPU was thermally throttled 1 time"));
  made.heat_events = 0;
  made.cooling_steps = 2;
  EXPECT_THAT(judged(made).reasons, ElementsAre("the CPU was slowed down by 2 steps to cool the machine"));
}

TEST(processor_gates, allows_a_quota_a_share_of_the_time) {
  trial_result made = good_trial();
  made.quota_seconds = 0.0200;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.quota_seconds = 0.0201;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  EXPECT_THAT(judged(made).reasons, ElementsAre("a quota withheld 0.020 s of CPU time, more than 0.020 s (1 %)"));
}

TEST(processor_gates, allows_the_hypervisor_a_share_and_a_few_ticks) {
  trial_result made = good_trial();
  made.cpu_stolen = 0.20;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.cpu_stolen = 0.21;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  EXPECT_THAT(judged(made).reasons, ElementsAre("the hypervisor gave 0.21 s of CPU time to others, more than 0.20 s"));
  made.seconds_to_disk = 0.5;
  made.cpu_stolen = 0.10;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.cpu_stolen = 0.11;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(processor_gates, knows_sleep) {
  trial_result made = good_trial();
  made.suspended_seconds = 0.001;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.suspended_seconds = 3;
  EXPECT_THAT(judged(made).reasons, ElementsAre("the machine was suspended for 3.00 s"));
}

TEST(device_gates, names_who_wrote_to_the_device) {
  trial_result made = good_trial();
  made.device_bytes = gigabyte + 12'000'000;
  made.written_by_others = {{"dd", 8'000'000}, {"cp", 3'000'000}};
  const trial_result found = judged(made);
  EXPECT_EQ(found.validity, trial_validity::invalid);
  EXPECT_THAT(found.reasons, ElementsAre("others wrote to sda meanwhile, more than 10000000 bytes: dd 8000000 bytes, "
                                         "cp 3000000 bytes"));
  EXPECT_EQ(found.written_by_others, made.written_by_others);
}

TEST(device_gates, names_some_of_many) {
  trial_result made = good_trial();
  made.device_bytes = 2 * gigabyte;
  for (const char* name : {"a", "b", "c", "d", "e"}) made.written_by_others[name] = 9'000'000;
  EXPECT_THAT(judged(made).reasons, ElementsAre(HasSubstr(", and 2 more")));
}

TEST(device_gates, allows_them_a_share_of_the_bytes) {
  trial_result made = good_trial();
  made.device_bytes = gigabyte + 10'000'000;
  made.written_by_others = {{"dd", 9'999'999}};
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  EXPECT_THAT(judged(made).written_by_others, IsEmpty());
  made.written_by_others = {{"dd", 10'000'000}};
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(device_gates, allows_them_a_mebibyte_whatever_the_trial_s_size) {
  trial_result made = good_trial();
  made.bytes = 1000;
  made.device_bytes = 2 << 20;
  made.written_by_others = {{"dd", (1 << 20) - 1}};
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.written_by_others = {{"dd", 1 << 20}};
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(device_gates, leaves_alone_who_writes_elsewhere) {
  trial_result made = good_trial();
  made.device_bytes = gigabyte + 9'999'999;
  made.written_by_others = {{"dd", gigabyte}};
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  EXPECT_THAT(judged(made).written_by_others, IsEmpty());
  made.device_bytes = gigabyte + 10'000'000;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  // Where no device is seen, none is shared.
  made.device_bytes.reset();
  EXPECT_THAT(judged(made, on("tmpfs")).reasons, ElementsAre("the device below tmpfs cannot be seen"));
}

TEST(device_gates, counts_all_that_is_written_while_it_reads) {
  for (const io_class measured_class : {io_class::cold, io_class::warm}) {
    trial_result made = good_trial(measured_class);
    made.written_by_others = {{"dd", gigabyte}};
    made.device_bytes = 9'999'999;
    EXPECT_EQ(judged(made).validity, trial_validity::valid);
    made.device_bytes = 10'000'000;
    EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  }
}

// Of another program's blocks only the calls that wrote them are known.
TEST(device_gates, does_not_take_the_journal_of_other_programs_durable_writes_for_them) {
  trial_result made = good_trial(io_class::each_write);
  made.written_by_others = {{"dd", gigabyte}};
  made.write_calls = 1000;
  const auto journal = static_cast<std::uint64_t>(1000 * journal_per_block);
  made.device_bytes = gigabyte + journal;
  EXPECT_NE(judged(made).validity, trial_validity::invalid);
  made.device_bytes = gigabyte + 2 * journal;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(device_gates, does_not_take_the_journal_of_durable_blocks_for_them) {
  trial_result made = good_trial(io_class::each_write);
  made.block_latency.add_bucket(8, 1000);
  const auto journal = static_cast<std::uint64_t>(1000 * journal_per_block);
  made.written_by_others = {{"dd", 10'000'000}};
  made.device_bytes = gigabyte + journal + 9'999'999;
  EXPECT_EQ(judged(made).validity, trial_validity::unknown);
  EXPECT_THAT(judged(made).reasons, ElementsAre("others may have written to sda meanwhile: dd 10000000 bytes"));
  made.device_bytes = gigabyte + journal + 10'000'000;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(device_gates, does_not_know_where_bytes_may_shrink) {
  trial_result made = good_trial();
  made.written_by_others = {{"dd", 10'000'000}};
  EXPECT_EQ(judged(made, on("btrfs")).validity, trial_validity::valid);
  made.device_bytes = gigabyte - 1;
  EXPECT_EQ(judged(made, on("btrfs")).validity, trial_validity::unknown);
  EXPECT_EQ(judged(made, on("ext4")).validity, trial_validity::valid);
}

TEST(device_gates, wants_clear_excess_where_nobody_is_named) {
  trial_result made = good_trial();
  made.device_bytes = gigabyte + 250'000'000;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.device_bytes = gigabyte + 250'000'001;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
  EXPECT_THAT(judged(made).reasons,
              ElementsAre("sda saw 250000001 bytes more than were written here; by another process?"));
  // Those that write all twice may.
  for (const detail::os::file_system& place : {on("ext4", "rw,data=journal"), on("btrfs")}) {
    made.device_bytes = 2 * gigabyte + 250'000'000;
    EXPECT_EQ(judged(made, place).validity, trial_validity::valid);
    made.device_bytes = 2 * gigabyte + 250'000'001;
    EXPECT_EQ(judged(made, place).validity, trial_validity::invalid);
  }
  made.bytes = 1000;
  made.device_bytes = (16 << 20) + 1000;
  EXPECT_EQ(judged(made).validity, trial_validity::valid);
  made.device_bytes = (16 << 20) + 1001;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(device_gates, does_not_know_what_a_busy_device_had_still_to_do) {
  trial_result made = good_trial();
  made.started_quiet = false;
  EXPECT_EQ(judged(made).validity, trial_validity::unknown);
  EXPECT_THAT(judged(made).reasons, ElementsAre("sda was still busy when it began"));
  made.written_by_others = {{"dd", gigabyte}};
  made.device_bytes = 2 * gigabyte;
  EXPECT_EQ(judged(made).validity, trial_validity::invalid);
}

TEST(judge, knows_a_cache_drop_that_failed) {
  for (const io_class measured_class : {io_class::none, io_class::cold}) {
    trial_result made = good_trial(measured_class);
    apply_gates(made, true, on("ext4"), "4096 bytes stayed in memory");
    EXPECT_EQ(made.validity, trial_validity::invalid);
    EXPECT_THAT(made.reasons, ElementsAre("the cache drop failed: 4096 bytes stayed in memory"));
  }
}

TEST(without_files, is_unknown_whatever_others_did) {
  trial_result made = good_trial();
  made.written_by_others = {{"dd", gigabyte}};
  made = without_files(std::move(made), "null writes no file");
  EXPECT_EQ(made.validity, trial_validity::unknown);
  EXPECT_THAT(made.reasons, ElementsAre("null writes no file"));
  EXPECT_THAT(made.written_by_others, IsEmpty());
}

}  // namespace
}  // namespace freshet::tool
