// Every finding that files of procfs and sysfs can provoke, from made-up trees of them.
#include "tool/doctor/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <freshet/error.hpp>

#include "tests/support/machine_tree.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/doctor/facts.hpp"

namespace freshet::tool {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

class doctored_machine : public testing::Test {
 protected:
  machine_facts read() const {
    return read_machine_facts(directory_.path(), {.proc = machine_.proc(), .sys = machine_.sys()});
  }

  // The findings without the one on free space, which is this machine's own.
  std::vector<finding> findings() const {
    std::vector<finding> all = find_distortions(read());
    std::erase_if(all, [](const finding& each) { return each.topic == "free space"; });
    return all;
  }

  // The only finding that is not fine.
  finding only_finding() const {
    std::vector<finding> all = findings();
    std::erase_if(all, [](const finding& each) { return each.weight == severity::fine; });
    EXPECT_EQ(all.size(), 1U) << testing::PrintToString(texts(all));
    return all.empty() ? finding{} : all.front();
  }

  static std::vector<std::string> texts(const std::vector<finding>& all) {
    std::vector<std::string> lines;
    for (const finding& each : all) lines.push_back(each.text);
    return lines;
  }

  void expect(severity weight, const std::string& topic, const std::string& evidence) const {
    const finding found = only_finding();
    EXPECT_EQ(found.weight, weight) << found.text;
    EXPECT_EQ(found.topic, topic);
    EXPECT_THAT(found.evidence, HasSubstr(evidence));
    EXPECT_FALSE(found.summary.empty());
    EXPECT_TRUE(found.text.ends_with('.')) << found.text;
  }

  void set_governor(const std::string& governor, const std::string& driver) const {
    for (const std::string each : {"cpu0", "cpu1"}) {
      machine_.write("sys/devices/system/cpu/" + each + "/cpufreq/scaling_governor", governor);
      machine_.write("sys/devices/system/cpu/" + each + "/cpufreq/scaling_driver", driver);
    }
  }

  test::machine_tree machine_;
  test::temporary_directory directory_;
};

TEST_F(doctored_machine, has_nothing_to_find_where_all_is_well) {
  for (const finding& each : findings()) EXPECT_EQ(each.weight, severity::fine) << each.text;
  EXPECT_GE(findings().size(), 8U);
  EXPECT_TRUE(read().unseen.empty()) << read().unseen.front().subject;
  EXPECT_EQ(summarize(findings()), "");
}

TEST_F(doctored_machine, has_a_governor_that_keeps_the_lowest_frequency) {
  set_governor("powersave", "acpi-cpufreq");
  expect(severity::matters, "governor", "cpu0/cpufreq/scaling_governor (powersave on 2 of 2 processors)");
  EXPECT_EQ(only_finding().remedy, "sudo cpupower frequency-set -g performance");
}

TEST_F(doctored_machine, has_a_governor_that_follows_the_load) {
  for (const auto& [governor, driver] :
       {std::pair{"schedutil", "acpi-cpufreq"}, std::pair{"powersave", "intel_pstate"}}) {
    set_governor(governor, driver);
    expect(severity::may_matter, "governor", governor);
  }
}

TEST_F(doctored_machine, names_the_processor_whose_governor_differs) {
  machine_.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "ondemand");
  expect(severity::may_matter, "governor", "cpu1/cpufreq/scaling_governor (ondemand on 1, performance on 1 of 2");
}

TEST_F(doctored_machine, does_not_ask_processors_that_are_switched_off) {
  machine_.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "ondemand");
  machine_.write("sys/devices/system/cpu/cpu1/online", "0");
  EXPECT_EQ(read().processors.count, 1U);
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_a_frequency_limit) {
  machine_.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "1200000");
  expect(severity::may_matter, "frequency limit", "cpu1/cpufreq/scaling_max_freq");
  ASSERT_TRUE(read().processors.limit);
  EXPECT_DOUBLE_EQ(read().processors.limit->allowed, 1.2);
  EXPECT_DOUBLE_EQ(read().processors.limit->possible, 3.6);
}

TEST_F(doctored_machine, is_slowed_down_by_heat_now) {
  machine_.write("sys/class/thermal/cooling_device0/type", "Processor");
  machine_.write("sys/class/thermal/cooling_device0/cur_state", "3");
  expect(severity::matters, "heat", "cur_state: 3 in all");
}

TEST_F(doctored_machine, was_slowed_down_by_heat) {
  machine_.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "12");
  expect(severity::may_matter, "heat", "thermal_throttle counters: 12");
}

TEST_F(doctored_machine, has_a_quota) {
  machine_.write("groups/cpu.max", "150000 100000");
  std::ofstream{machine_.proc() / "self/mountinfo", std::ios::app}
      << "2 1 0:9 / " << (machine_.proc().parent_path() / "groups").string() << " rw - cgroup2 cgroup rw\n";
  machine_.write("proc/self/cgroup", "0::/");
  expect(severity::may_matter, "quota", "groups/cpu.max");
  ASSERT_TRUE(read().processors.quota);
  EXPECT_DOUBLE_EQ(read().processors.quota->value, 1.5);
  EXPECT_EQ(read().processors.count, 2U);
}

TEST_F(doctored_machine, had_its_time_stolen) {
  machine_.write("proc/stat", "cpu  1000 0 900 8000 0 0 0 100 0 0");
  expect(severity::may_matter, "stolen time", "stat: 5.0 % since the last start");
}

TEST_F(doctored_machine, gives_free_memory_back) {
  machine_.write("sys/bus/virtio/devices/virtio0/device", "0x0005");
  machine_.write("sys/bus/virtio/devices/virtio0/features", "01100100000000000000000000000000");
  expect(severity::may_matter, "first touch", "virtio0/features, bit 5");
}

TEST_F(doctored_machine, may_have_a_balloon_that_reports_nothing) {
  machine_.write("sys/bus/virtio/devices/virtio0/device", "0x0005");
  machine_.write("sys/bus/virtio/devices/virtio0/features", "01100000000000000000000000000000");
  machine_.write("sys/bus/virtio/devices/virtio1/device", "0x0002");
  machine_.write("sys/bus/virtio/devices/virtio1/features", "11111111111111111111111111111111");
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_swapped_memory_out) {
  machine_.write("proc/swaps", test::machine_tree::swaps(200 << 10));
  expect(severity::may_matter, "swap", "swaps: 200 MiB used");
}

TEST_F(doctored_machine, has_little_free_memory) {
  machine_.write("proc/meminfo", test::machine_tree::memory(1 << 20, 0));
  machine_.write("proc/sys/vm/dirty_ratio", "40");
  expect(severity::matters, "free memory", "MemAvailable is 1 GiB of 16 GiB");
}

TEST_F(doctored_machine, lets_writers_wait_early) {
  machine_.write("proc/sys/vm/dirty_bytes", "16777216");
  expect(severity::may_matter, "dirty ratios", "vm/dirty_bytes: 16777216");
}

TEST_F(doctored_machine, keeps_much_in_memory) {
  machine_.write("proc/sys/vm/dirty_ratio", "90");
  expect(severity::may_matter, "dirty ratios", "vm/dirty_ratio: 90");
}

TEST_F(doctored_machine, does_not_write_back_by_itself) {
  machine_.write("proc/sys/vm/dirty_writeback_centisecs", "0");
  expect(severity::may_matter, "writeback", "dirty_writeback_centisecs: 0");
}

TEST_F(doctored_machine, has_data_that_waits_to_be_written) {
  machine_.write("proc/meminfo", test::machine_tree::memory(8 << 20, 1 << 20));
  expect(severity::may_matter, "data to be written", "Dirty and Writeback are 1 GiB");
}

TEST_F(doctored_machine, has_io_uring_disabled) {
  for (const std::string value : {"1", "2"}) {
    machine_.write("proc/sys/kernel/io_uring_disabled", value);
    expect(severity::may_matter, "io_uring", "io_uring_disabled: " + value);
  }
}

TEST_F(doctored_machine, lets_little_memory_be_locked) {
  machine_.write("proc/self/limits", test::machine_tree::locked_memory("65536"));
  expect(severity::may_matter, "locked memory", "Max locked memory is 64 KiB");
  machine_.write("proc/self/limits", test::machine_tree::locked_memory("unlimited"));
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, lets_a_process_with_the_capability_lock_all) {
  machine_.write("proc/self/limits", test::machine_tree::locked_memory("65536"));
  machine_.write("proc/self/status", "CapEff:\t0000000000004000");
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_distorting_mount_options) {
  const std::vector<std::pair<std::string, severity>> options = {
      {"sync", severity::matters},      {"dirsync", severity::may_matter}, {"data=journal", severity::matters},
      {"nobarrier", severity::matters}, {"barrier=0", severity::matters},  {"compress=zstd:3", severity::matters},
      {"discard", severity::may_matter}};
  for (const auto& [option, weight] : options) {
    machine_.mount("8:1", "sda1", "ext4", "rw," + option);
    expect(weight, "mount option", "/ is mounted with " + option);
  }
  machine_.mount("8:1", "sda1", "ext4", "rw,discard");
  EXPECT_EQ(only_finding().remedy, "sudo mount -o remount,nodiscard /");
}

TEST_F(doctored_machine, may_have_options_that_only_look_like_them) {
  machine_.mount("8:1", "sda1", "btrfs", "rw,discard=async,data=ordered,nosync,async");
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_a_scheduler_that_holds_transfers_back) {
  machine_.write("sys/devices/sda/queue/scheduler", "none mq-deadline [bfq]");
  expect(severity::may_matter, "scheduler", "queue/scheduler: bfq");
  EXPECT_THAT(only_finding().remedy, StartsWith("echo none | sudo tee "));
}

TEST_F(doctored_machine, has_a_rotating_disk_without_a_scheduler) {
  machine_.write("sys/devices/sda/queue/rotational", "1");
  expect(severity::may_matter, "scheduler", "queue/scheduler: none");
  machine_.write("sys/devices/sda/device/vendor", "QEMU    ");  // says so, but no disk of a hypervisor rotates
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_a_virtual_disk_that_gets_no_flushes) {
  machine_.add_disk("vda");
  machine_.write("sys/devices/vda/queue/write_cache", "write through");
  machine_.mount("254:0", "vda", "ext4", "rw");
  expect(severity::may_matter, "flushes", "queue/write_cache: write through; fua: 1");
}

TEST_F(doctored_machine, may_have_a_real_disk_that_needs_no_flushes) {
  machine_.write("sys/devices/sda/queue/write_cache", "write through");
  EXPECT_THAT(findings(), testing::Each(Field(&finding::weight, severity::fine)));
}

TEST_F(doctored_machine, has_an_encrypted_volume_on_a_busy_raid) {
  for (const std::string each : {"dm-0", "md0", "sdb"}) machine_.add_disk(each);
  machine_.put_above("dm-0", "md0");
  machine_.put_above("md0", "sda1");
  machine_.put_above("md0", "sdb");
  machine_.write("sys/devices/dm-0/dm/uuid", "CRYPT-LUKS2-4711");
  machine_.mount("253:0", "dm-0", "xfs", "rw");
  expect(severity::may_matter, "device", "dm/uuid: CRYPT-LUKS2");
  machine_.write("sys/devices/md0/md/sync_action", "idle");
  expect(severity::may_matter, "device", "dm/uuid: CRYPT-LUKS2");
  machine_.write("sys/devices/md0/md/sync_action", "resync");
  EXPECT_EQ(summarize(findings()), "RAID busy with resync");
  std::vector<std::string> names;
  for (const block_device& each : read().storage.devices) names.push_back(each.name);
  EXPECT_THAT(names, testing::ElementsAre("dm-0", "md0", "sda", "sdb"));
}

TEST_F(doctored_machine, survives_devices_that_use_each_other) {
  machine_.add_disk("dm-0");
  machine_.put_above("dm-0", "sda");
  machine_.put_above("sda", "dm-0");
  machine_.mount("253:0", "dm-0", "xfs", "rw");
  EXPECT_EQ(read().storage.devices.size(), 2U);
}

TEST_F(doctored_machine, has_a_file_system_in_a_file) {
  machine_.add_disk("loop0");
  const std::string file = (directory_ / "image").string();
  std::ofstream{file} << "x";
  machine_.write("sys/devices/loop0/loop/backing_file", file);
  machine_.mount("7:0", "loop0", "ext4", "rw");
  // The file lies on the same made-up file system.
  expect(severity::may_matter, "device", "loop/backing_file: " + file);
  machine_.write("sys/devices/loop0/loop/backing_file", "/no/such/image");
  expect(severity::may_matter, "device", "/no/such/image");
  EXPECT_THAT(read().unseen, Contains(Field(&unseen_fact::reason, HasSubstr("/no/such/image is not visible"))));
}

TEST_F(doctored_machine, has_its_files_in_compressed_memory) {
  machine_.add_disk("zram0");
  machine_.mount("251:0", "zram0", "ext4", "rw");
  expect(severity::may_matter, "device", "zram0");
}

TEST_F(doctored_machine, has_its_files_elsewhere) {
  for (const std::string type : {"tmpfs", "overlay", "nfs4", "virtiofs", "fuse.sshfs"}) {
    machine_.mount("0:33", "none", type, "rw");
    expect(severity::may_matter, "file system", "/ is " + type);
    EXPECT_EQ(read().unseen.empty(), type == "tmpfs") << "the device of others cannot be seen";
  }
}

TEST_F(doctored_machine, names_the_disk_below_an_overlay_where_it_can_be_seen) {
  machine_.mount("8:1", "sda1", "ext4", "rw");
  std::ofstream{machine_.proc() / "self/mountinfo", std::ios::app}
      << "2 1 0:40 / " << directory_.path().string() << " rw - overlay overlay rw,upperdir=/usr,workdir=/w\n";
  const storage_facts storage = read().storage;
  EXPECT_EQ(storage.place.type, "overlay");
  ASSERT_EQ(storage.devices.size(), 1U);
  EXPECT_EQ(storage.devices.front().name, "sda");
}

TEST_F(doctored_machine, finds_the_mount_that_hides_others) {
  machine_.mount("8:1", "sda1", "ext4", "rw,sync");
  const std::string above = directory_.path().parent_path();
  std::ofstream{machine_.proc() / "self/mountinfo", std::ios::app}
      << "2 1 8:1 / " << above << " rw - xfs /dev/sda1 rw\n3 1 8:1 / " << directory_.path().string()
      << "-other rw - vfat /dev/sda1 rw\n";
  EXPECT_EQ(read().storage.place.type, "xfs");
}

TEST_F(doctored_machine, says_what_cannot_be_seen_and_why) {
  const test::temporary_directory empty;
  const machine_facts facts = read_machine_facts(directory_.path(), {.proc = empty.path(), .sys = empty.path()});
  std::vector<std::string> subjects;
  for (const unseen_fact& each : facts.unseen) subjects.push_back(each.subject);
  EXPECT_THAT(subjects, IsSupersetOf(std::vector<std::string>{"the processors' frequency", "free memory",
                                                              "other processes and stolen time",
                                                              "the device of " + directory_.path().string()}));
  EXPECT_THAT(facts.unseen, Contains(Field(&unseen_fact::reason, EndsWith("/meminfo does not exist"))));
  EXPECT_EQ(summarize(find_distortions(facts)).find("memory"), std::string::npos) << "nothing follows from nothing";
}

TEST_F(doctored_machine, needs_a_directory) {
  EXPECT_THROW(static_cast<void>(read_machine_facts(directory_ / "none")), freshet::error);
  std::ofstream{directory_ / "file"} << "x";
  EXPECT_THROW(static_cast<void>(read_machine_facts(directory_ / "file")), freshet::error);
}

}  // namespace
}  // namespace freshet::tool
