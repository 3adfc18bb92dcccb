// CPU time that a machine withholds from a program: from made-up trees of sysfs and procfs, and from a real quota.
#include "tool/measure/throttle.hpp"

#include <gtest/gtest.h>

#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

class throttling : public testing::Test {
 protected:
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((directory_.path() / path).parent_path());
    std::ofstream{directory_.path() / path} << text << '\n';
  }
  throttle_counters read() const { return throttle_reader{directory_ / "sys", directory_ / "proc"}.read(); }
  // A line of /proc/self/mountinfo.
  std::string mount(const std::string& root, const std::string& at, const std::string& type,
                    const std::string& options) const {
    return "31 23 0:28 " + root + " " + (directory_ / at).string() + " rw,relatime shared:4 - " + type + " cgroup " +
           options + "\n";
  }

  test::temporary_directory directory_;
};

TEST_F(throttling, is_nothing_where_nothing_is_told) {
  const throttle_counters none = read();
  EXPECT_EQ(none.heat_events, 0U);
  EXPECT_EQ(none.cooling_steps, 0U);
  EXPECT_EQ(none.quota_seconds, 0);
}

TEST_F(throttling, counts_heat_events_of_all_cores) {
  write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3");
  write("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "10");
  write("sys/devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "4");
  write("sys/devices/system/cpu/cpufreq/thermal_throttle/unrelated", "100");
  EXPECT_EQ(read().heat_events, 17U);
}

TEST_F(throttling, counts_the_steps_of_what_cools_processors) {
  write("sys/class/thermal/cooling_device0/type", "Processor");
  write("sys/class/thermal/cooling_device0/cur_state", "2");
  write("sys/class/thermal/cooling_device1/type", "thermal-cpufreq-0");
  write("sys/class/thermal/cooling_device1/cur_state", "1");
  write("sys/class/thermal/cooling_device2/type", "intel_powerclamp");
  write("sys/class/thermal/cooling_device2/cur_state", "-1");
  write("sys/class/thermal/cooling_device3/type", "Fan");
  write("sys/class/thermal/cooling_device3/cur_state", "7");
  EXPECT_EQ(read().cooling_steps, 3U);
}

TEST_F(throttling, finds_the_quota_of_version_1) {
  write("proc/self/mountinfo", mount("/", "cpu", "cgroup", "rw,cpu,cpuacct") + mount("/", "io", "cgroup", "rw,blkio"));
  write("proc/self/cgroup", "7:blkio:/job\n1:cpu,cpuacct:/job");
  write("cpu/job/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000");
  write("io/job/cpu.stat", "nr_throttled 4\nthrottled_time 9000000000");
  EXPECT_DOUBLE_EQ(read().quota_seconds, 2.5);
}

TEST_F(throttling, finds_the_quotas_of_version_2_up_to_the_root) {
  write("proc/self/mountinfo", mount("/", "cgroup", "cgroup2", "rw"));
  write("proc/self/cgroup", "0::/outer/inner");
  write("cgroup/cpu.stat", "usage_usec 1");
  write("cgroup/outer/cpu.stat", "usage_usec 1\nnr_throttled 1\nthrottled_usec 250000");
  write("cgroup/outer/inner/cpu.stat", "usage_usec 1\nnr_throttled 1\nthrottled_usec 500000");
  EXPECT_DOUBLE_EQ(read().quota_seconds, 0.75);
}

TEST_F(throttling, finds_the_group_that_a_container_sees_as_its_root) {
  write("proc/self/mountinfo", mount("/docker/abc", "cgroup", "cgroup2", "rw"));
  write("proc/self/cgroup", "0::/docker/abc");
  write("cgroup/cpu.stat", "throttled_usec 1000000");
  EXPECT_DOUBLE_EQ(read().quota_seconds, 1);
}

TEST_F(throttling, is_read_anew_each_time) {
  write("proc/self/mountinfo", mount("/", "cgroup", "cgroup2", "rw"));
  write("proc/self/cgroup", "0::/job");
  const throttle_reader reader{directory_ / "sys", directory_ / "proc"};
  EXPECT_EQ(reader.read().quota_seconds, 0);
  write("cgroup/job/cpu.stat", "throttled_usec 1000000");
  EXPECT_DOUBLE_EQ(reader.read().quota_seconds, 1);
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// CLOCK_BOOTTIME counts the time of sleep, CLOCK_MONOTONIC does not.
TEST(throttling_here, tells_how_long_the_machine_slept) {
  const double earlier = seconds_of(CLOCK_BOOTTIME) - seconds_of(CLOCK_MONOTONIC);
  EXPECT_NEAR(throttle_reader{}.read().suspended_seconds, earlier, 0.01);
}

// A kernel that counts the heat events of its processors, as few virtual machines do.
TEST(throttling_here, counts_the_heat_events_that_the_kernel_counts) {
  const auto sum = [] {
    std::uint64_t all = 0;
    for (int cpu = 0; fs::exists("/sys/devices/system/cpu/cpu" + std::to_string(cpu)); ++cpu)
      for (const char* of : {"core", "package"}) {
        std::uint64_t count = 0;
        std::ifstream{"/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/thermal_throttle/" + of +
                      "_throttle_count"} >>
            count;
        all += count;
      }
    return all;
  };
  const std::uint64_t before = sum();
  const std::uint64_t read = throttle_reader{}.read().heat_events;
  EXPECT_GE(read, before);
  EXPECT_LE(read, sum());
}

}  // namespace
}  // namespace freshet::tool
