// What follows from facts that were measured, or that no made-up file can show.
#include "tool/doctor/findings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"

namespace freshet::tool {
namespace {

class measured_machine : public testing::Test {
 protected:
  measured_machine() {
    facts_.processors.count = 4;
    detail::os::file_system& place = facts_.storage.place;
    place.type = "ext4";
    place.mount_point = "/data";
    place.available = 50;
    place.total = 100;
    facts_.storage.devices = {device("sda")};
    facts_.storage.devices.front().write_cache = "write back";
    facts_.storage.devices.front().fua = "0";
    facts_.measured.emplace();
    facts_.measured->seconds = 0.5;
  }

  static block_device device(const std::string& name) {
    block_device result;
    result.name = name;
    result.at = "/sys/class/block/" + name;
    return result;
  }

  finding on(const std::string& topic) const {
    const std::vector<finding> all = find_distortions(facts_);
    const auto at = std::ranges::find(all, topic, &finding::topic);
    EXPECT_NE(at, all.end()) << topic;
    return at == all.end() ? finding{} : *at;
  }

  // All findings, or those on a topic.
  std::string told(const std::string& topic = "") const {
    std::string text;
    for (const finding& each : find_distortions(facts_)) {
      if (!topic.empty() && each.topic != topic) continue;
      text += fmt::format("[{}, {}]\n", each.topic, to_string(each.weight));
      for (const std::string& part : {each.summary, each.text, each.evidence, each.remedy})
        if (!part.empty()) text += part + '\n';
    }
    return text;
  }

  machine_facts facts_;
};

// What is said of each finding, and what it is seen in.
TEST_F(measured_machine, tells_of_all_that_it_measured) {
  std::string text = told();
  measured_facts& measured = *facts_.measured;
  facts_.storage.place.available = 3;
  facts_.memory.reporting_balloon = "/sys/features";
  facts_.processors.quota = sourced<double>{8, "/sys/fs/cgroup/cpu.max"};
  facts_.interfaces.uring_refused = "not permitted (seccomp)";
  measured.touch = {.fresh = 240, .reused = 4100};
  measured.stolen = 0.2;
  measured.busy_others = 2;
  measured.written_by_others = 5e5;
  measured.read_by_others = 3e6;
  measured.swapped_pages = 12;
  measured.throttled.quota_seconds = 0.1;
  measured.throttled.heat_events = 1;
  measured.flush = {.median = 9e-6, .count = 50};
  text += "\n" + told();
  measured.writers = {{"few", 1 << 10}, {"more", 2 << 10}, {"most\x1b", 3 << 20}, {"least", 1}};
  text += "\n" + told("other I/O");
  EXPECT_TRUE(test::is_golden("tool/doctor/golden/findings.txt", text));
}

TEST_F(measured_machine, is_undisturbed) {
  for (const finding& each : find_distortions(facts_)) EXPECT_EQ(each.weight, severity::fine) << each.text;
}

TEST_F(measured_machine, puts_first_what_matters) {
  facts_.storage.place.available = 1;
  facts_.storage.place.mount_options = "rw,discard";
  const std::vector<finding> all = find_distortions(facts_);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &finding::weight));
  EXPECT_EQ(all.front().topic, "free space");
  EXPECT_EQ(summarize(all), "disk 99 % full");
}

TEST_F(measured_machine, lists_what_matters_in_one_line) {
  facts_.storage.place.available = 4;
  facts_.measured->touch.fresh = 240;
  facts_.measured->touch.reused = 4000;
  EXPECT_EQ(summarize(find_distortions(facts_)), "memory slow at first touch; disk 96 % full");
}

TEST_F(measured_machine, has_a_nearly_full_disk) {
  for (const auto& [available, weight] : {std::pair{11, severity::fine}, std::pair{10, severity::may_matter},
                                          std::pair{6, severity::may_matter}, std::pair{5, severity::matters}}) {
    facts_.storage.place.available = static_cast<std::uint64_t>(available);
    EXPECT_EQ(on("free space").weight, weight) << available;
  }
  facts_.storage.place.available = facts_.storage.place.total = 0;  // not known
  for (const finding& each : find_distortions(facts_)) EXPECT_NE(each.topic, "free space");
}

TEST_F(measured_machine, has_memory_that_is_slow_at_first_touch) {
  facts_.measured->touch = {.fresh = 1400, .reused = 4100};
  EXPECT_EQ(on("first touch").weight, severity::fine) << "less than three times as long";
  facts_.measured->touch.fresh = 240;
  facts_.memory.reporting_balloon = "/sys/features";
  EXPECT_EQ(on("first touch").weight, severity::matters);
}

// What a run's environment has measured, and what doctor measures, are called slow by the same rule.
TEST_F(measured_machine, has_one_answer_for_doctor_and_for_runs) {
  for (const double fresh : {1200.0, 1500.0}) {
    facts_.measured->touch = {.fresh = fresh, .reused = 4000};
    environment env = read_environment(".");
    env.first_touch_fresh = fresh;
    env.first_touch_reused = 4000;
    const auto known = find_known_distortions(env);
    EXPECT_EQ(std::ranges::count(known, "first touch", &finding::topic),
              on("first touch").weight == severity::matters ? 1 : 0);
  }
}

TEST_F(measured_machine, believes_the_measurement_more_than_the_balloon) {
  facts_.memory.reporting_balloon = "/sys/features";
  facts_.measured->touch.fresh = 4000;
  facts_.measured->touch.reused = 4100;
  EXPECT_EQ(on("first touch").weight, severity::fine);
}

TEST_F(measured_machine, has_its_time_stolen_now) {
  facts_.measured->stolen = 0.2;
  EXPECT_EQ(on("stolen time").weight, severity::matters);
  EXPECT_EQ(on("stolen time").summary, "20 % of processor time stolen by the hypervisor");
  facts_.measured->stolen = 0.02;
  EXPECT_EQ(on("stolen time").weight, severity::fine);
}

TEST_F(measured_machine, has_busy_neighbours) {
  facts_.measured->busy_others = 0.3;
  EXPECT_EQ(on("other processes").weight, severity::fine);
  facts_.measured->busy_others = 2;
  EXPECT_EQ(on("other processes").weight, severity::matters);
  EXPECT_EQ(on("other processes").summary, "50 % of the processors used by others");
}

TEST_F(measured_machine, has_neighbours_who_use_the_disk) {
  facts_.measured->written_by_others = 5e5;
  EXPECT_EQ(on("other I/O").weight, severity::fine);
  facts_.measured->read_by_others = 3e6;
  EXPECT_EQ(on("other I/O").weight, severity::matters);
}

TEST_F(measured_machine, swaps_now) {
  facts_.measured->swapped_pages = 12;
  EXPECT_EQ(on("swap").weight, severity::matters);
}

TEST_F(measured_machine, uses_up_its_quota) {
  facts_.processors.quota = sourced<double>{8, "/sys/fs/cgroup/cpu.max"};
  for (const finding& each : find_distortions(facts_)) EXPECT_NE(each.topic, "quota") << "it is never used up";
  facts_.measured->throttled.quota_seconds = 0.1;
  EXPECT_EQ(on("quota").weight, severity::matters);
}

TEST_F(measured_machine, gets_hot_meanwhile) {
  facts_.measured->throttled.heat_events = 1;
  EXPECT_EQ(on("heat").weight, severity::matters);
}

TEST_F(measured_machine, has_flushes_that_no_disk_can_do) {
  facts_.measured->flush = {.median = 9e-6, .count = 50};
  EXPECT_EQ(on("flushes").weight, severity::may_matter);
  facts_.measured->flush->median = 30e-6;
  EXPECT_EQ(on("flushes").weight, severity::fine);
}

TEST_F(measured_machine, has_flushes_that_no_rotating_disk_can_do) {
  facts_.measured->flush = {.median = 200e-6, .count = 50};
  facts_.storage.devices.front().rotational = true;
  EXPECT_EQ(on("flushes").weight, severity::may_matter);
  facts_.measured->flush->median = 8e-3;
  EXPECT_EQ(on("flushes").weight, severity::fine);
  facts_.measured->flush->median = 200e-6;
  facts_.storage.devices.front().is_virtual = true;  // virtual disks say that they rotate
  EXPECT_EQ(on("flushes").weight, severity::fine);
}

TEST_F(measured_machine, judges_flushes_by_the_disk_below) {
  facts_.storage.devices.insert(facts_.storage.devices.begin(), device("dm-0"));
  facts_.storage.devices.front().below = {"sda"};
  facts_.storage.devices.back().rotational = true;
  facts_.measured->flush = {.median = 200e-6, .count = 50};
  EXPECT_EQ(on("flushes").weight, severity::may_matter);
}

TEST_F(measured_machine, judges_flushes_of_a_device_that_cannot_be_seen) {
  facts_.storage.devices.clear();
  facts_.measured->flush = {.median = 5e-6, .count = 50};
  EXPECT_EQ(on("flushes").weight, severity::may_matter);
  facts_.measured->flush->median = 1e-3;
  EXPECT_EQ(on("flushes").weight, severity::fine);
}

TEST_F(measured_machine, is_refused_a_ring) {
  facts_.interfaces.uring_refused = "not permitted (seccomp)";
  EXPECT_EQ(on("io_uring").weight, severity::may_matter);
  EXPECT_EQ(on("io_uring").evidence, "not permitted (seccomp)");
}

TEST(known_distortions, are_what_matters_only) {
  environment env;
  env.directory = "/";
  env.first_touch_fresh = 240;
  env.first_touch_reused = 4100;
  const std::vector<finding> slow = find_known_distortions(env);
  ASSERT_FALSE(slow.empty());
  EXPECT_EQ(slow.front().summary, "memory slow at first touch");
  for (const finding& each : slow) EXPECT_EQ(each.weight, severity::matters) << each.text;
  env.first_touch_fresh = 4000;
  for (const finding& each : find_known_distortions(env)) EXPECT_NE(each.topic, "first touch");
}

TEST_F(measured_machine, has_a_name_for_each_severity) {
  EXPECT_EQ(to_string(severity::matters), "matters");
  EXPECT_EQ(to_string(severity::may_matter), "may matter");
  EXPECT_EQ(to_string(severity::fine), "fine");
}

}  // namespace
}  // namespace freshet::tool
