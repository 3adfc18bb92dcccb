// Trials for tests of what keeps them.
#pragma once

#include <string>

#include "tool/store/record.hpp"

namespace freshet::test {

[[nodiscard]] inline tool::run sample_run(const std::string& command = "bench",
                                          const std::string& started = "2026-03-01T10:00:00Z") {
  tool::run made;
  made.command = command;
  made.words = "freshet " + command + " /data";
  made.started = started;
  made.env.machine = "x86_64 Some Processor";
  made.env.kernel = "6.1";
  made.env.cpus = 4;
  made.env.memory = 16'000'000'000;
  made.env.directory = "/data";
  made.env.file_system = "ext4";
  made.env.device = "vda";
  made.env.first_touch_fresh = 400.5;
  made.env.first_touch_reused = 4000.25;
  made.env.version = "0.1.0";
  made.env.build = "some compiler";
  return made;
}

/// Every figure is another one, and none is what a new trial has.
[[nodiscard]] inline tool::trial_result sample_figures(unsigned round = 3,
                                                       const std::string& started = "2026-03-01T10:00:01Z") {
  tool::trial_result made;
  made.plan = {.method = "auto",
               .block = 1 << 20,
               .depth = 4,
               .reserve = true,
               .ordered = false,
               .size_ahead = true,
               .what = tool::io_class::each_write,
               .workload = tool::workload_kind::blocks,
               .target = tool::target_kind::overwrite,
               .memory = tool::memory_state::recycled,
               .size = std::uint64_t{5} << 40,
               .jobs = 7,
               .seed = ~std::uint64_t{0} - 8};
  made.round = round;
  made.position = 9;
  made.method = "uring";
  made.started = started;
  made.bytes = 10;
  made.lines = 11;
  made.seconds_to_close = 0.1;
  made.seconds_to_disk = 1.0 / 3;
  made.cpu_process = 1e-9;
  made.cpu_whole = 14.5;
  made.cpu_stolen = 15.5;
  made.heat_events = 16;
  made.cooling_steps = 17;
  made.quota_seconds = 18.25;
  made.suspended_seconds = 19.125;
  made.write_calls = 20;
  made.faults_minor = 21;
  made.faults_major = 22;
  made.switches_voluntary = 23;
  made.switches_involuntary = 24;
  made.device_writes = 25;
  made.device_merges = 26;
  made.device_bytes = 27;
  made.device_reads = 28;
  made.device_bytes_read = 29;
  made.extents = 30;
  made.generator_ceiling = 31.75;
  made.started_quiet = false;
  made.bytes_compared = 32;
  made.bytes_written = 33;
  made.bytes_cached = 34;
  made.peak_memory = 35;
  for (const std::uint64_t nanoseconds : {0U, 7U, 8U, 1000U, 1001U, 4'000'000U}) made.block_latency.add(nanoseconds);
  made.over_time.add(0.01, 1'000'000);
  made.over_time.add(0.5, 2'000'000);
  made.written_by_others = {{"rsyslogd", 4096}, {"a \"name\"", 8192}};
  made.validity = tool::trial_validity::invalid;
  made.reasons = {"first", "second: \"ä\""};
  return made;
}

[[nodiscard]] inline tool::record sample_record(std::int64_t run, unsigned round = 3,
                                                const std::string& started = "2026-03-01T10:00:01Z") {
  tool::record made = tool::make_record(sample_figures(round, started));
  made.run = run;
  made.more = {{"why", "because"}, {"share", 0.5}};
  return made;
}

}  // namespace freshet::test
