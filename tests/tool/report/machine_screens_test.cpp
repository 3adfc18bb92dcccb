// What `doctor` and `profile` show, held by files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tool/report/screen_test.hpp"
#include "tool/report/doctor_report.hpp"
#include "tool/report/profile_report.hpp"

namespace freshet::tool {
namespace {

class machine_screens : public test::screen_test {};

machine_facts facts() {
  machine_facts made;
  made.storage.directory = "/data/files";
  made.storage.place.type = "ext4";
  made.storage.place.mount_options = "rw,relatime";
  for (const char* const name : {"dm-0", "vda"}) made.storage.devices.emplace_back().name = name;
  measured_facts& measured = made.measured.emplace();
  measured.seconds = 1;
  measured.busy_others = 0.25;
  measured.read_by_others = 4096;
  measured.written_by_others = 1e6;
  measured.swapped_pages = 3;
  measured.stolen = 0.125;
  measured.touch = {.fresh = 400, .reused = 4000};
  measured.flush = flush_times{.median = 0.0015, .count = 20};
  made.unseen = {{"the write cache of vda", "Permission denied"}};
  return made;
}

const finding slow_memory{
    .weight = severity::matters,
    .topic = "first touch",
    .summary = "memory slow at first touch",
    .text = "New memory is touched ten times as slowly as memory just freed, so the page cache is slow.",
    .evidence = "400 MB/s of new memory, 4000 MB/s of reused memory",
    .remedy = "let the host keep the memory: virtio_balloon.page_reporting=0"};
const finding full_disk{.weight = severity::matters,
                        .topic = "space",
                        .summary = "disk 96 % full",
                        .text = "The file system is 96 % full.",
                        .evidence = "statvfs"};
const finding governor{.weight = severity::may_matter,
                       .topic = "governor",
                       .summary = "governor powersave",
                       .text = "The processors may be slow to speed up.",
                       .evidence = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor: powersave",
                       .remedy = "cpupower frequency-set -g performance"};
const finding swap = fine("swap", "No memory is swapped out.", "/proc/meminfo: SwapFree");
const finding ring = fine("io_uring", "The kernel grants io_uring.", "");

TEST_F(machine_screens, list_what_distorts) {
  const auto draw = [](const screen& look) {
    return format_findings(facts(), {slow_memory, full_disk, governor, swap, ring}, look);
  };
  expect_golden("doctor", draw);
  expect_golden_colours("doctor", draw);
  expect_golden("doctor-details", [](const screen& look) {
    return format_findings(facts(), {slow_memory, full_disk, governor, swap, ring}, look, true);
  });
  expect_golden_json("doctor", make_json(facts(), {slow_memory, governor, swap}));
}

TEST_F(machine_screens, are_short_where_little_distorts) {
  machine_facts bare;
  bare.storage.directory = "/data\x1b[2J";
  std::string text;
  for (const std::vector<finding>& findings :
       {std::vector<finding>{}, {swap}, {governor}, {governor, governor, swap}, {full_disk}, {slow_memory, governor}})
    text += format_findings(bare, findings) + format_distortions(findings) + '\n';
  text += make_json(bare, {}).dump() + '\n';
  expect_golden("doctor-short.txt", text);
}

profile_inspection inspection() {
  profile_inspection made;
  made.directory = "/data/files";
  made.file_system.key = "uuid:1234";
  made.file_system.type = "ext4";
  made.file_system.mount_point = "/data";
  made.file_system.mount_options = "rw,relatime";
  made.kernel = "6.18.1";
  made.places = {{"/home/user/.config/freshet/profile.toml", true, 2}, {"/etc/xdg/freshet/profile.toml", false, 0}};
  made.entry = file_system_profile{.key = "uuid:1234",
                                   .type = "ext4",
                                   .mount_options = "rw",
                                   .kernel = "6.18.0",
                                   .measured = "2026-03-01T12:00:00Z",
                                   .size = std::uint64_t{1} << 30,
                                   .winners = {},
                                   .cold = {},
                                   .warm = {}};
  made.from = made.places[0].path;
  made.classes = {
      {{write_settings{
            .method = "uring", .block = 4 << 20, .depth = 2, .provisional = "only 2 rounds", .slowest_expected = 500},
        "", "uring"},
       {write_settings{.method = "direct"}, "the file system has none", "buffered"},
       {},
       {write_settings{.method = "buffered", .block = 2 << 20}, "", "buffered"},
       {{}, "", "buffered"}}};
  made.stale = {{"kernel", "6.18.0", "6.18.1"}, {"mount options", "rw", "rw,relatime"}};
  made.warnings = {"/etc/xdg/freshet/profile.toml:3: no such method"};
  return made;
}

TEST_F(machine_screens, show_the_profile_in_force) {
  profile_inspection none;
  none.directory = "/data";
  none.file_system.key = "tmpfs:1";
  none.file_system.type = "tmpfs";
  profile_inspection old = inspection();
  old.entry->measured.clear();
  old.untried = "Permission denied";
  profile_inspection measured = inspection();
  write_settings& writing = *measured.classes[0].winner;
  writing.measured = {
      {1 / 1605e6, 0.031, 1 << 30}, {1 / 1500e6, 0.05, 1 << 30}, {1 / 2510e6, 0.12, 1 << 30}, 4 << 20, 2};
  write_settings& reading = *measured.classes[3].winner;
  reading.measured = {{1 / 812e6, 0, 1 << 28}, {}, {1 / 790e6, 0.01, 1 << 28}, 2 << 20, 4};
  reading.fixed = true;
  measured.classes[0].opened_with = "buffered";
  measured.classes[3].opened_with = "direct";
  expect_golden("profile-measured.txt", format_profile(measured));
  expect_golden_json("profile-measured", nlohmann::json{measured});
  expect_golden("profile.txt", format_profile(inspection()) + '\n' + format_profile(none) + '\n' + format_profile(old));
  expect_golden_json("profile", nlohmann::json{inspection(), none});
}

}  // namespace
}  // namespace freshet::tool
