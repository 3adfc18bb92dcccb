// The one record that flows through the tool: what was to be measured, and what came out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/base/enum_names.hpp"
#include "tool/measure/environment.hpp"
#include "tool/measure/latency.hpp"
#include "tool/measure/rate_curve.hpp"
#include "tool/trial/plan.hpp"

namespace freshet::tool {

/// Whether a trial's figures may be relied on, from the best to the worst.
enum class trial_validity : std::uint8_t {
  valid,
  unknown,    ///< it cannot be proven that it is valid; it counts
  disturbed,  ///< others used what it needs; it counts where there are too few others
  invalid,    ///< it did not do what it was to do, or not with this file; it counts nowhere
};
template <>
inline constexpr auto enum_names<trial_validity> = std::to_array<std::string_view>({"valid", "unknown", "disturbed",
                                                                                    "invalid"});

/// What a trial is for.
enum class trial_purpose : std::uint8_t {
  ranking,
  baseline,   ///< of a program to compare with, which cannot win
  warm_up,    ///< to be left out of all figures
  program,    ///< a file that a process of its own wrote
  diagnosis,  ///< explains the machine, apart from the rankings
};

/// The figure that trials are compared by.
enum class metric : std::uint8_t {
  ranking,  ///< the time that the class ranks by
  close,    ///< the time until the program may go on
  disk,     ///< the time until the device has everything
  cpu,      ///< the whole machine's CPU time
};
template <>
inline constexpr auto enum_names<metric> = std::to_array<std::string_view>({"ranking", "close", "disk", "cpu"});

/// The result of one run of a plan: seconds, bytes and counts. The name of each member is in trial_figures.hpp.
struct trial_result {
  trial_plan plan;
  unsigned round = 0;     ///< from 0
  unsigned position = 0;  ///< within the round, from 0
  std::string method;     ///< the method that did the work: which one "auto" chose
  std::string started;    ///< ISO 8601, UTC

  std::uint64_t bytes = 0;          ///< of all files
  std::uint64_t lines = 0;          ///< 0 for blocks
  double seconds_to_close = 0;      ///< until the program may continue
  double seconds_to_disk = 0;       ///< until the device has everything
  double cpu_process = 0;           ///< user + system time of this process, all threads, to disk
  double cpu_whole = 0;             ///< with the kernel's threads and interrupts, less the idle baseline, to disk
  double cpu_stolen = 0;            ///< time that the hypervisor gave to others while there was work here, to disk
  std::uint64_t heat_events = 0;    ///< how often a processor was thermally throttled
  std::uint64_t cooling_steps = 0;  ///< slowing processors down at the beginning or the end, whichever were more
  double quota_seconds = 0;         ///< CPU time that a control group's quota withheld
  double suspended_seconds = 0;     ///< while the machine slept; the other clocks do not count them
  std::uint64_t write_calls = 0;    ///< write system calls and queue submissions (/proc/self/io syscw, or counted)
  std::uint64_t faults_minor = 0;
  std::uint64_t faults_major = 0;
  std::uint64_t switches_voluntary = 0;
  std::uint64_t switches_involuntary = 0;
  std::optional<std::uint64_t> device_writes;  ///< empty if the device cannot be seen, like the next four
  std::optional<std::uint64_t> device_merges;
  std::optional<std::uint64_t> device_bytes;
  std::optional<std::uint64_t> device_reads;
  std::optional<std::uint64_t> device_bytes_read;
  std::optional<std::uint64_t> extents;  ///< of all files; empty where FIEMAP does not answer
  /// MB/s of the same plan into `null`, or of the checksum over bytes in memory; empty if it was not measured.
  std::optional<double> generator_ceiling;
  bool started_quiet = true;         ///< the device was idle when the trial began; false: it was still busy after 3 s
  bool work_failed = false;          ///< a program that was to do the work did not, as the reasons say; not stored
  bool wrong_content = false;        ///< its files, or what was read of them, do not hold what they should; not stored
  std::uint64_t bytes_compared = 0;  ///< of its files, compared with what they should hold
  std::uint64_t bytes_written = 0;   ///< to the file system in all, including the preparation
  std::optional<std::uint64_t> bytes_cached;  ///< of its files, held by the page cache when reading began
  /// Peak memory in bytes of the process that took most, beyond what it had before; empty if it was not measured.
  std::optional<std::uint64_t> peak_memory;
  /// Bytes of its files that the page cache holds after the trial; empty if the system does not tell.
  std::optional<std::uint64_t> page_cache;
  /// MB/s of reading its file back from the device; empty if it was not read back.
  std::optional<double> cold_read;
  /// How long the program waited each time it handed over a full block, or got one; empty if that cannot be seen, as in
  /// other libraries.
  latency_histogram block_latency;
  /// Bytes that the program had handed over, or got, over time; empty like block_latency.
  rate_curve over_time;
  /// Bytes that other processes wrote during the trial, by process name. Once the gates were applied, only if they may
  /// have reached the device and exceed the limits of gates.hpp.
  std::map<std::string, std::uint64_t> written_by_others;

  /// MB/s at which memory new to the process was touched just before the trial: whether the host had it at hand.
  std::optional<double> first_touch;
  /// Whether that took more than slow_memory times as long as touching memory just freed. The page cache depends on it,
  /// so trials that met slow memory are not ranked with others.
  bool met_slow_memory = false;

  /// Seconds until close for which the thread that waited longest was ready to run, but other processes had processors;
  /// empty if the kernel does not count them, or if several processes worked at the trial.
  std::optional<double> cpu_waited;

  /// The seconds of cpu_process that were not spent in the kernel; empty if another process did the work.
  std::optional<double> cpu_user;

  /// It chose which plans meet in the final of a race. Figures are drawn from it only where there are no others, since
  /// it flatters the plans that were chosen because of it.
  bool screening = false;

  trial_validity validity = trial_validity::valid;
  std::vector<std::string> reasons;  ///< why it is not valid

  /// MB/s (10^6 bytes) to close and to disk.
  [[nodiscard]] double rate_to_close() const { return static_cast<double>(bytes) / seconds_to_close / 1e6; }
  [[nodiscard]] double rate_to_disk() const { return static_cast<double>(bytes) / seconds_to_disk / 1e6; }
  /// The time that the plan's class ranks by.
  [[nodiscard]] double ranking_seconds() const {
    return ranks_by_disk(plan.measured_class) ? seconds_to_disk : seconds_to_close;
  }
  /// MB/s by that time.
  [[nodiscard]] double ranking_rate() const { return static_cast<double>(bytes) / ranking_seconds() / 1e6; }
  /// That time per 10^9 bytes. Precondition: bytes > 0.
  [[nodiscard]] double seconds_per_gb() const { return ranking_seconds() / static_cast<double>(bytes) * 1e9; }
  /// Seconds by another figure, per 10^9 bytes; 0 if it was not measured. Precondition: bytes > 0.
  [[nodiscard]] double seconds_per_gb_by(metric which) const {
    const double seconds = which == metric::close  ? seconds_to_close
                           : which == metric::disk ? seconds_to_disk
                           : which == metric::cpu  ? cpu_whole
                                                   : ranking_seconds();
    return seconds / static_cast<double>(bytes) * 1e9;
  }
  /// CPU seconds of the whole machine per 10^9 bytes. Precondition: bytes > 0.
  [[nodiscard]] double cpu_per_gb() const { return cpu_whole / static_cast<double>(bytes) * 1e9; }
  /// Whether its figures may be used: it moved bytes in a measurable time and was not found invalid.
  [[nodiscard]] bool is_usable() const {
    return validity != trial_validity::invalid && bytes > 0 && ranking_seconds() > 0;
  }
  [[nodiscard]] bool is_disturbed() const noexcept { return validity == trial_validity::disturbed; }
};

void to_json(nlohmann::json& out, const trial_plan& plan);
void to_json(nlohmann::json& out, const trial_result& trial);
/// Reads all members but the plan. @throws nlohmann::json::exception  if one has another type
void from_json(const nlohmann::json& in, trial_result& trial);
void to_json(nlohmann::json& out, const environment& env);

}  // namespace freshet::tool
