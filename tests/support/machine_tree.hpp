// Made-up trees of procfs and sysfs.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// A machine without faults that tests write into: two processors, 16 GiB, and the disk `sda` with a partition `sda1`,
/// which is mounted as ext4 on /.
class machine_tree {
 public:
  machine_tree() {
    for (const std::string_view each : {"cpu0", "cpu1"}) {
      const std::string frequency = "sys/devices/system/cpu/" + std::string{each} + "/cpufreq/";
      write(frequency + "scaling_governor", "performance");
      write(frequency + "scaling_driver", "acpi-cpufreq");
      write(frequency + "scaling_max_freq", "3600000");
      write(frequency + "cpuinfo_max_freq", "3600000");
    }
    write("proc/stat", "cpu  1000 0 1000 8000 0 0 0 0 0 0");
    write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme sse2");
    write("proc/meminfo", memory(8 << 20, 0));
    write("proc/swaps", swaps(0));
    write("proc/sys/vm/dirty_bytes", "0");
    write("proc/sys/vm/dirty_ratio", "20");
    write("proc/sys/vm/dirty_writeback_centisecs", "500");
    write("proc/sys/kernel/io_uring_disabled", "0");
    write("proc/self/limits", locked_memory("8388608"));
    write("proc/self/status", "CapEff:\t0000000000000000");
    add_disk("sda");
    write("sys/devices/sda/sda1/partition", "1");
    link("sys/devices/sda/sda1", "sys/class/block/sda1");
    mount("8:1", "sda1", "ext4", "rw");
  }

  [[nodiscard]] std::filesystem::path proc() const { return tree_ / "proc"; }
  [[nodiscard]] std::filesystem::path sys() const { return tree_ / "sys"; }

  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((tree_ / path).parent_path());
    std::ofstream{tree_ / path} << text << '\n';
  }

  /// A physical disk that does not rotate and has a volatile cache.
  void add_disk(const std::string& name) const {
    const std::string disk = "sys/devices/" + name + "/";
    write(disk + "queue/scheduler", "[none] mq-deadline bfq");
    write(disk + "queue/write_cache", "write back");
    write(disk + "queue/fua", "1");
    write(disk + "queue/rotational", "0");
    link("sys/devices/" + name, "sys/class/block/" + name);
  }
  /// `upper` uses `lower`.
  void put_above(const std::string& upper, const std::string& lower) const {
    write("sys/devices/" + upper + "/slaves/" + lower, "");
  }

  /// What is mounted on /, in place of what was.
  void mount(const std::string& number, const std::string& device, const std::string& type,
             const std::string& options) const {
    write("proc/self/mountinfo", "1 0 " + number + " / / rw,relatime - " + type + " /dev/" + device + " " + options);
    const auto numbers = tree_ / "sys/dev/block";
    std::filesystem::create_directories(numbers);
    std::filesystem::remove(numbers / number);
    if (std::filesystem::exists(tree_ / "sys/class/block" / device))
      std::filesystem::create_symlink("../../devices/" + device, numbers / number);
  }

  [[nodiscard]] static std::string memory(std::uint64_t available_kib, std::uint64_t dirty_kib) {
    return "MemTotal:       16777216 kB\nMemAvailable:   " + std::to_string(available_kib) +
           " kB\nDirty:          " + std::to_string(dirty_kib) + " kB\nWriteback:             0 kB";
  }
  [[nodiscard]] static std::string swaps(std::uint64_t used_kib) {
    return "Filename Type Size Used Priority\n/dev/sda2 partition 4194300 " + std::to_string(used_kib) + " -2";
  }
  [[nodiscard]] static std::string locked_memory(const std::string& limit) {
    return "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max locked memory         " +
           limit + "              " + limit + "              bytes     ";
  }

 private:
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_directories((tree_ / name).parent_path());
    std::filesystem::create_directory_symlink(tree_ / target, tree_ / name);
  }

  temporary_directory tree_;
};

}  // namespace freshet::test
