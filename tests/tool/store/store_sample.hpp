// Trials for tests of the store.
#pragma once

#include <string>

#include "tests/support/made_up_trials.hpp"
#include "tool/store/record.hpp"

namespace freshet::test {

[[nodiscard]] inline tool::run sample_run(const std::string& command = "bench",
                                          const std::string& started = "2026-03-01T10:00:00Z") {
  tool::run sample = make_run(1, command);
  sample.id = 0;
  sample.started = started;
  sample.ended.clear();
  sample.words = "freshet " + command + " /data";
  sample.env.directory = "/data";
  sample.env.memory = 16'000'000'000;
  sample.env.first_touch_fresh = 400.5;
  sample.env.first_touch_reused = 4000.25;
  sample.env.build = "some compiler";
  return sample;
}

/// All figures differ from one another and from those of a new trial.
[[nodiscard]] inline tool::trial_result sample_figures(unsigned round = 3,
                                                       const std::string& started = "2026-03-01T10:00:01Z") {
  tool::trial_result sample;
  sample.plan = {.method = "auto",
                 .block = 1 << 20,
                 .depth = 4,
                 .reserve = true,
                 .ordered = false,
                 .size_ahead = true,
                 .measured_class = tool::io_class::each_write,
                 .workload = tool::workload_kind::blocks,
                 .target = tool::target_kind::overwrite,
                 .memory = tool::memory_state::recycled,
                 .size = std::uint64_t{5} << 40,
                 .jobs = 7,
                 .seed = ~std::uint64_t{0} - 8,
                 .access = access::once,
                 .caching = caching::drop};
  sample.round = round;
  sample.position = 9;
  sample.method = "uring";
  sample.started = started;
  sample.bytes = 10;
  sample.lines = 11;
  sample.seconds_to_close = 0.1;
  sample.seconds_to_disk = 1.0 / 3;
  sample.cpu_process = 1e-9;
  sample.cpu_whole = 14.5;
  sample.cpu_stolen = 15.5;
  sample.heat_events = 16;
  sample.cooling_steps = 17;
  sample.quota_seconds = 18.25;
  sample.suspended_seconds = 19.125;
  sample.write_calls = 20;
  sample.faults_minor = 21;
  sample.faults_major = 22;
  sample.switches_voluntary = 23;
  sample.switches_involuntary = 24;
  sample.device_writes = 25;
  sample.device_merges = 26;
  sample.device_bytes = 27;
  sample.device_reads = 28;
  sample.device_bytes_read = 29;
  sample.extents = 30;
  sample.generator_ceiling = 31.75;
  sample.first_touch = 2501.5;
  sample.cpu_waited = 0.0125;
  sample.cpu_user = 0.75;
  sample.started_quiet = false;
  sample.screening = true;
  sample.met_slow_memory = true;
  sample.bytes_compared = 32;
  sample.bytes_written = 33;
  sample.bytes_cached = 34;
  sample.peak_memory = 35;
  sample.page_cache = 36;
  sample.cold_read = 37.5;
  for (const std::uint64_t nanoseconds : {0U, 7U, 8U, 1000U, 1001U, 4'000'000U}) sample.block_latency.add(nanoseconds);
  sample.over_time.add(0.01, 1'000'000);
  sample.over_time.add(0.5, 2'000'000);
  sample.written_by_others = {{"rsyslogd", 4096}, {"a \"name\"", 8192}};
  sample.validity = tool::trial_validity::invalid;
  sample.reasons = {"first", "second: \"ä\""};
  return sample;
}

[[nodiscard]] inline tool::record sample_record(std::int64_t run, unsigned round = 3,
                                                const std::string& started = "2026-03-01T10:00:01Z") {
  tool::record sample = tool::make_record(sample_figures(round, started));
  sample.run = run;
  sample.extra = {{"why", "because"}, {"share", 0.5}};
  return sample;
}

}  // namespace freshet::test
