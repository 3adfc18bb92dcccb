// Made-up trials, plans with such trials, and runs: the same figures each time, on any machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tool/store/record.hpp"
#include "tool/trial/candidate.hpp"

namespace freshet::test {

inline constexpr std::uint64_t gigabyte = 1'000'000'000;
inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// What tests say of a trial; all other figures are those of a new trial.
struct made_up {
  std::uint64_t bytes = gigabyte;
  double disk = 1;             ///< seconds to disk, as a multiple of those to close
  double cpu = 0.5;            ///< seconds of the whole machine
  std::string invalid = {};    ///< why it is; empty: it is not
  std::string disturbed = {};  ///< by what; empty: by nothing
  bool met_slow_memory = false;
};

/// A trial of `plan` that took `seconds` to close, with one file of the plan's size, or else of `like.bytes`.
[[nodiscard]] inline tool::trial_result make_trial(const tool::trial_plan& plan, double seconds, unsigned round = 0,
                                                   const made_up& like = {}) {
  tool::trial_result trial;
  trial.plan = plan;
  if (plan.size == 0) trial.plan.size = like.bytes;
  trial.method = plan.method;
  trial.round = round;
  trial.bytes = trial.plan.size;
  trial.seconds_to_close = seconds;
  trial.seconds_to_disk = seconds * like.disk;
  trial.cpu_whole = like.cpu;
  trial.met_slow_memory = like.met_slow_memory;
  if (!like.invalid.empty()) trial.validity = tool::trial_validity::invalid;
  if (!like.disturbed.empty()) trial.validity = tool::trial_validity::disturbed;
  for (const std::string& reason : {like.invalid, like.disturbed})
    if (!reason.empty()) trial.reasons.push_back(reason);
  return trial;
}

/// A trial in each round, from 0 on.
[[nodiscard]] inline std::vector<tool::trial_result> make_trials(const tool::trial_plan& plan,
                                                                 const std::vector<double>& seconds,
                                                                 const made_up& like = {}) {
  std::vector<tool::trial_result> all;
  for (const double each : seconds) all.push_back(make_trial(plan, each, static_cast<unsigned>(all.size()), like));
  return all;
}

/// A plan with a trial in each round.
[[nodiscard]] inline tool::candidate entry(const tool::trial_plan& plan, const std::vector<double>& seconds,
                                           const made_up& like = {}) {
  return {.plan = plan, .trials = make_trials(plan, seconds, like)};
}

[[nodiscard]] inline tool::candidate entry(const std::string& method, const std::vector<double>& seconds,
                                           const made_up& like = {}) {
  return entry(tool::trial_plan{.method = method}, seconds, like);
}

/// The same plan as one to compare with.
[[nodiscard]] inline tool::candidate baseline(tool::candidate of) {
  of.is_baseline = true;
  return of;
}

/// The same trial where all instruments work: sixteen blocks, the last of which took ten times as long as the others.
[[nodiscard]] inline tool::trial_result watched(tool::trial_result trial) {
  constexpr std::uint64_t blocks = 16;
  const double each = trial.seconds_to_close / blocks;
  for (std::uint64_t number = 1; number <= blocks; ++number) {
    trial.block_latency.add(static_cast<std::uint64_t>(std::llround(each * 1e9)) * (number == blocks ? 10 : 1));
    trial.over_time.add(each * static_cast<double>(number), trial.bytes / blocks);
  }
  trial.cpu_process = trial.cpu_whole * 0.75;
  trial.cpu_user = trial.cpu_whole * 0.5;
  trial.cpu_waited = 0.01;
  trial.write_calls = blocks;
  trial.faults_minor = 21;
  trial.switches_voluntary = 23;
  trial.switches_involuntary = 24;
  trial.device_writes = 2 * blocks;
  trial.device_merges = 26;
  trial.device_bytes = trial.bytes + 4096;
  trial.device_reads = 3;
  trial.device_bytes_read = 12'288;
  trial.extents = 4;
  trial.generator_ceiling = 9000;
  trial.bytes_written = trial.bytes;
  trial.peak_memory = 9 * mebibyte;
  trial.page_cache = trial.bytes / 2;
  trial.cold_read = 1500;
  trial.first_touch = 2500;
  return trial;
}

[[nodiscard]] inline std::vector<tool::trial_result> watched(std::vector<tool::trial_result> trials) {
  for (tool::trial_result& each : trials) each = watched(std::move(each));
  return trials;
}

/// "2026-03-07T12:05:00Z", of such a day and minute.
[[nodiscard]] inline std::string made_up_time(unsigned day, unsigned minute = 0) {
  const auto digits = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  return "2026-03-" + digits(day) + "T12:" + digits(minute) + ":00Z";
}

/// A run of half an hour on the day of March 2026 that its number says.
[[nodiscard]] inline tool::run make_run(std::int64_t id = 1, const std::string& command = "bench",
                                        const std::string& file_system = "ext4") {
  tool::run made;
  made.id = id;
  made.command = command;
  made.words = "freshet " + command + " /data/" + file_system;
  made.started = made_up_time(static_cast<unsigned>(id));
  made.ended = made_up_time(static_cast<unsigned>(id), 30);
  tool::environment& env = made.env;
  env.machine = "x86_64 Sample Processor 9000";
  env.kernel = "6.18.0";
  env.cpus = 4;
  env.memory = std::uint64_t{16} << 30;
  env.directory = "/data/" + file_system;
  env.file_system_key = file_system + ":0001";
  env.file_system = file_system;
  env.mount_options = "rw,relatime";
  env.device = file_system == "tmpfs" ? "" : "vda";
  env.device_model = env.device.empty() ? "" : "Sample Disk";
  env.scheduler = "none";
  env.dirty_settings = "dirty_ratio=20 dirty_background_ratio=10";
  env.first_touch_fresh = 2100;
  env.first_touch_reused = 9000;
  env.version = "0.1.0";
  return made;
}

/// The trials as the store keeps them for the run, with numbers from `first_id` on.
[[nodiscard]] inline std::vector<tool::record> keep(const std::vector<tool::trial_result>& trials,
                                                    const tool::run& of = make_run(), std::int64_t first_id = 1) {
  std::vector<tool::record> records;
  for (const tool::trial_result& each : trials) {
    records.push_back(tool::make_record(each));
    records.back().run = of.id;
    records.back().id = first_id++;
    if (each.started.empty()) records.back().figures.started = of.started;
  }
  return records;
}

}  // namespace freshet::test
