// What is known of a machine that may distort measurements on it: read from procfs and sysfs, or measured for a moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/os/file.hpp"
#include "tool/measure/block_device.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/other_writers.hpp"
#include "tool/measure/throttle.hpp"

namespace freshet::tool {

/// Where procfs and sysfs are mounted, or copies of them lie.
struct system_roots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

/// Something that could not be looked at, and why.
struct unseen_fact {
  std::string subject;
  std::string reason;
};

/// A text or a number, and the file that it was read from.
template <typename Value>
struct sourced {
  Value value{};
  std::filesystem::path file;
};

struct frequency_limit {
  double allowed = 0;  ///< GHz
  double possible = 0;
  std::filesystem::path file;
};

struct processor_facts {
  unsigned count = 0;                         ///< processors that are online
  bool in_virtual_machine = false;            ///< the processors say so (flag "hypervisor")
  std::map<std::string, unsigned> governors;  ///< processors by the name of their governor
  std::filesystem::path governor_file;  ///< of one processor that has the first of those that are not "performance"
  std::string frequency_driver;
  std::optional<frequency_limit> limit;  ///< the lowest, if one is below what the processor can do
  throttle_counters throttled;
  std::optional<sourced<double>> quota;  ///< processors that a control group may use at a time, if it has a quota
  double stolen_since_boot = 0;          ///< as a share of the time that the processors were wanted
};

/// How much data may be in memory only before writers wait for the disk: vm.dirty_bytes or vm.dirty_ratio.
struct dirty_limit {
  std::uint64_t bytes = 0;
  std::int64_t setting = 0;
  std::filesystem::path file;
};

struct memory_facts {
  std::uint64_t total = 0;  ///< bytes, as all below
  std::uint64_t available = 0;
  std::uint64_t swap_used = 0;
  std::uint64_t dirty = 0;  ///< written by programs and not yet by the disk, with what is under way
  std::optional<dirty_limit> limit;
  bool writes_back_by_itself = true;  ///< false: vm.dirty_writeback_centisecs is 0
  /// The features file of a balloon that reports free memory to the hypervisor (VIRTIO_BALLOON_F_PAGE_REPORTING);
  /// empty if there is none.
  std::filesystem::path reporting_balloon;
};

struct interface_facts {
  std::optional<sourced<std::int64_t>> uring_disabled;  ///< kernel.io_uring_disabled
  std::string uring_refused;                            ///< why the kernel refuses a ring here; empty if it grants one
  std::optional<std::uint64_t> locked_memory;           ///< bytes of RLIMIT_MEMLOCK; empty: no limit, or not known
};

struct storage_facts {
  std::filesystem::path directory;
  detail::os::file_system place;
  std::vector<block_device> devices;  ///< from the one that is mounted down to the disks
};

/// A process's fanotify group: it is told what others do with files that it has marked.
struct fanotify_group {
  std::string program;         ///< the name of the process
  std::filesystem::path file;  ///< PROC/PID/fdinfo/N
  std::string mark;            ///< the line of that file that matters most
  bool delays = false;         ///< others wait until it permits what they do
  bool covers = false;         ///< it marks the directory, its mount or its file system
};

struct watcher_facts {
  std::vector<fanotify_group> groups;
  std::map<std::string, std::filesystem::path> programs;  ///< names of processes, and PROC/PID/comm of one of each
};

/// How long it takes until a small write is on the device.
struct flush_times {
  double median = 0;  ///< seconds
  unsigned count = 0;
};

/// What was measured within about a second, while this process did next to nothing else.
struct measured_facts {
  double seconds = 0;               ///< for which others were watched
  double busy_others = 0;           ///< processors that other processes used
  double read_by_others = 0;        ///< bytes per second from the disks below the directory
  double written_by_others = 0;     ///< bytes per second to them
  written_by_name writers;          ///< bytes, by process
  std::uint64_t swapped_pages = 0;  ///< in and out
  throttle_counters throttled;      ///< what was added to the counters
  std::optional<double> stolen;     ///< as a share of the time that this process wanted
  touch_speeds touch = {};          ///< of memory
  std::optional<flush_times> flush;
};

struct machine_facts {
  system_roots roots;
  processor_facts processors;
  memory_facts memory;
  interface_facts interfaces;
  storage_facts storage;
  watcher_facts watchers;
  std::optional<measured_facts> measured;
  std::vector<unseen_fact> unseen;
};

/// Reads what can be read at once, within milliseconds. @throws
/// freshet::error  if `directory` does not exist or is none
[[nodiscard]] machine_facts read_machine_facts(const std::filesystem::path& directory, const system_roots& roots = {});

}  // namespace freshet::tool
