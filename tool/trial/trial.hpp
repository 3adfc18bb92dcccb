// The one record that flows through the tool: what was to be measured, and what came out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/measure/environment.hpp"
#include "tool/measure/latency.hpp"
#include "tool/measure/rate_curve.hpp"
#include "tool/trial/io_class.hpp"

namespace freshet::tool {

enum class workload_kind : std::uint8_t { text, blocks };
enum class target_kind : std::uint8_t { fresh, overwrite };

/// What the memory that a trial's pages of the page cache will come from did before. Memory that a virtual machine has
/// given back to its host is many times slower at its first touch.
enum class memory_state : std::uint8_t {
  rested,  ///< free for some time, as a program finds it on an idle machine
  reused,  ///< held another file until directly before
};

/// What a trial does. Equal plans are repetitions of one another. What only says how a file is written says nothing of
/// plans that read.
struct trial_plan {
  std::string method = "auto";  ///< a library method, or one of the tool's baselines ("stdio", "ofstream-tuned", …)
  std::size_t block = 0;        ///< bytes; 0: the default
  unsigned depth = 0;
  bool reserve = false;  ///< sets the whole size aside first
  bool ordered = true;
  bool size_ahead = false;
  io_class what = io_class::none;
  workload_kind workload = workload_kind::text;
  target_kind target = target_kind::fresh;
  memory_state memory = memory_state::rested;  ///< says nothing to methods that go past the page cache
  std::uint64_t size = 0;                      ///< bytes per file
  unsigned jobs = 1;                           ///< files written or read at once, a thread each
  std::uint64_t seed = 1;                      ///< of the blocks' bytes
  friend bool operator==(const trial_plan&, const trial_plan&) = default;
};

enum class trial_validity : std::uint8_t { valid, invalid, unknown };

/// What one run of a plan showed. Seconds, bytes and counts.
struct trial_result {
  trial_plan plan;
  unsigned round = 0;     ///< from 0
  unsigned position = 0;  ///< within the round, from 0
  std::string method;     ///< the one at work: which one "auto" was
  std::string started;    ///< ISO 8601, UTC

  std::uint64_t bytes = 0;      ///< of all files
  std::uint64_t lines = 0;      ///< 0 for blocks
  double seconds_to_close = 0;  ///< until the program may go on
  double seconds_to_disk = 0;   ///< until the device has it, too
  double cpu_process = 0;       ///< user + system of this process, all threads, to disk
  double cpu_whole = 0;         ///< of the machine, less its idle baseline: io workers and writeback included, to disk
  double cpu_stolen = 0;        ///< that the hypervisor gave to others though there was work here, to disk
  std::uint64_t heat_events = 0;    ///< times that a processor was slowed down against heat
  std::uint64_t cooling_steps = 0;  ///< by which processors were slowed down at its begin or end, whichever was more
  double quota_seconds = 0;         ///< of CPU time that a control group's quota withheld
  double suspended_seconds = 0;     ///< that the machine slept; no clock here counts them
  std::uint64_t write_calls = 0;    ///< write system calls and queue submissions (/proc/self/io syscw, or counted)
  std::uint64_t faults_minor = 0;
  std::uint64_t faults_major = 0;
  std::uint64_t switches_voluntary = 0;
  std::uint64_t switches_involuntary = 0;
  std::optional<std::uint64_t> device_writes;  ///< empty, as the next four, where the device cannot be seen
  std::optional<std::uint64_t> device_merges;
  std::optional<std::uint64_t> device_bytes;
  std::optional<std::uint64_t> device_reads;
  std::optional<std::uint64_t> device_bytes_read;
  std::optional<std::uint64_t> extents;  ///< of all files; empty where FIEMAP does not answer
  /// MB/s of the same plan into `null`, or of what is done with the bytes that are read; empty where it was not
  /// measured.
  std::optional<double> generator_ceiling;
  bool started_quiet = true;         ///< the device had nothing to do when it began; false: it was still busy after 3 s
  std::uint64_t bytes_compared = 0;  ///< of its files, compared with what was to be written
  std::uint64_t bytes_written = 0;   ///< to the file system in all, what was prepared for the trial included
  std::optional<std::uint64_t> bytes_cached;  ///< of its files, that the page cache held when reading began
  /// Bytes of the process that took most, beyond what it had before; empty where it was not measured.
  std::optional<std::uint64_t> peak_memory;
  /// How long the program was held up each time it handed a full block over, or was given one; empty where that
  /// cannot be seen, as in other libraries.
  latency_histogram block_latency;
  /// Bytes that the program had handed over, or been given, when; empty as before.
  rate_curve over_time;
  /// Bytes that each other process wrote meanwhile, by its name: all of them until it is judged; then, only where
  /// they can have reached its device and are more than a good neighbour's share (gates.hpp).
  std::map<std::string, std::uint64_t> written_by_others;

  trial_validity validity = trial_validity::valid;
  std::vector<std::string> reasons;  ///< why it is invalid or unknown

  /// MB/s (10^6 bytes) to close and to disk.
  [[nodiscard]] double rate_to_close() const { return static_cast<double>(bytes) / seconds_to_close / 1e6; }
  [[nodiscard]] double rate_to_disk() const { return static_cast<double>(bytes) / seconds_to_disk / 1e6; }
  /// The figure that the plan's class ranks by.
  [[nodiscard]] double ranking_seconds() const { return ranks_by_disk(plan.what) ? seconds_to_disk : seconds_to_close; }
  /// The same per 10^9 bytes. Precondition: bytes > 0.
  [[nodiscard]] double seconds_per_gb() const { return ranking_seconds() / static_cast<double>(bytes) * 1e9; }
  /// CPU seconds of the whole machine per 10^9 bytes. Precondition: bytes > 0.
  [[nodiscard]] double cpu_per_gb() const { return cpu_whole / static_cast<double>(bytes) * 1e9; }
  /// Whether its figures may be used: it moved bytes in a measurable time and was not found invalid.
  [[nodiscard]] bool is_usable() const {
    return validity != trial_validity::invalid && bytes > 0 && ranking_seconds() > 0;
  }
};

/// Does `plan` once in `directory` with a clean start: one untimed preparation, the timed work, one untimed clean-up.
/// Its files live in one directory of this process's below `directory`, which is removed at exit.
/// @throws freshet::error where the plan cannot be run at all; interrupted
[[nodiscard]] trial_result run_trial(const trial_plan& plan, const std::filesystem::path& directory);

/// "uring 4 MiB x 2", "ofstream-tuned": a plan's short name for people.
[[nodiscard]] std::string describe(const trial_plan& plan);

void to_json(nlohmann::json& out, const trial_plan& plan);
void to_json(nlohmann::json& out, const trial_result& made);
void to_json(nlohmann::json& out, const environment& here);

[[nodiscard]] std::string to_string(workload_kind what);
[[nodiscard]] std::string to_string(target_kind what);
[[nodiscard]] std::string to_string(memory_state what);
[[nodiscard]] std::string to_string(trial_validity what);

}  // namespace freshet::tool
