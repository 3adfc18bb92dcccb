// The members of a trial and an environment by their names. Store, JSON and CSV follow these lists, as they follow
// plan_options (plan.hpp), so that a new figure appears in all of them; a new name in the store needs a schema step.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The name of a figure in the store and in JSON, and that of its column in CSV if its own would lack the unit there or
/// clash with another column.
struct figure_name {
  // NOLINTNEXTLINE(google-explicit-constructor): most figures have one name
  constexpr figure_name(const char* one) : name{one}, column{one} {}
  constexpr figure_name(const char* own, const char* in_csv) : name{own}, column{in_csv} {}
  // NOLINTNEXTLINE(google-explicit-constructor): all but CSV know one name
  constexpr operator std::string_view() const { return name; }

  std::string_view name;
  std::string_view column;
};

/// Calls take(name, value) for each member of a trial except its plan. Names are texts or figure_names.
template <maybe_const<trial_result> Trial, typename Take>
void each_figure(Trial& trial, const Take& take) {
  take("round", trial.round);
  take("position", trial.position);
  take(figure_name{"method", "method_at_work"}, trial.method);
  take("started", trial.started);
  take("bytes", trial.bytes);
  take("lines", trial.lines);
  take("seconds_to_close", trial.seconds_to_close);
  take("seconds_to_disk", trial.seconds_to_disk);
  take(figure_name{"cpu_process", "cpu_process_seconds"}, trial.cpu_process);
  take(figure_name{"cpu_whole", "cpu_whole_seconds"}, trial.cpu_whole);
  take(figure_name{"cpu_stolen", "cpu_stolen_seconds"}, trial.cpu_stolen);
  take("heat_events", trial.heat_events);
  take("cooling_steps", trial.cooling_steps);
  take("quota_seconds", trial.quota_seconds);
  take("suspended_seconds", trial.suspended_seconds);
  take("write_calls", trial.write_calls);
  take("faults_minor", trial.faults_minor);
  take("faults_major", trial.faults_major);
  take("switches_voluntary", trial.switches_voluntary);
  take("switches_involuntary", trial.switches_involuntary);
  take("device_writes", trial.device_writes);
  take("device_merges", trial.device_merges);
  take("device_bytes", trial.device_bytes);
  take("device_reads", trial.device_reads);
  take("device_bytes_read", trial.device_bytes_read);
  take("extents", trial.extents);
  take(figure_name{"generator_ceiling", "generator_ceiling_mb_per_second"}, trial.generator_ceiling);
  take("started_quiet", trial.started_quiet);
  take("bytes_compared", trial.bytes_compared);
  take("bytes_written", trial.bytes_written);
  take("bytes_cached", trial.bytes_cached);
  take(figure_name{"peak_memory", "peak_memory_bytes"}, trial.peak_memory);
  take("block_latency", trial.block_latency);
  take("over_time", trial.over_time);
  take(figure_name{"written_by_others", "bytes_written_by_others_json"}, trial.written_by_others);
  take("verdict", trial.validity);
  take("reasons", trial.reasons);
  take(figure_name{"first_touch", "first_touch_mb_per_second"}, trial.first_touch);
  take(figure_name{"cpu_waited", "cpu_waited_seconds"}, trial.cpu_waited);
  take("screening", trial.screening);
  take("met_slow_memory", trial.met_slow_memory);
  take(figure_name{"page_cache", "page_cache_bytes"}, trial.page_cache);
  take(figure_name{"cold_read", "cold_read_mb_per_second"}, trial.cold_read);
  take(figure_name{"cpu_user", "cpu_user_seconds"}, trial.cpu_user);
}

/// Calls take(name, value) for each member of an environment that stays the same from run to run.
template <maybe_const<environment> Environment, typename Take>
void each_setting(Environment& env, const Take& take) {
  take("machine", env.machine);
  take("kernel", env.kernel);
  take("cpus", env.cpus);
  take(figure_name{"memory", "machine_memory_bytes"}, env.memory);
  take("governor", env.governor);
  take("directory", env.directory);
  take("file_system_key", env.file_system_key);
  take("file_system", env.file_system);
  take("mount_options", env.mount_options);
  take("device", env.device);
  take("device_model", env.device_model);
  take("scheduler", env.scheduler);
  take("write_cache", env.write_cache);
  take("dirty_settings", env.dirty_settings);
  take(figure_name{"version", "freshet_version"}, env.version);
  take(figure_name{"build", "freshet_build"}, env.build);
}

/// Calls take(name, value) for each member of an environment that is measured anew in each run.
template <maybe_const<environment> Environment, typename Take>
void each_measured_setting(Environment& env, const Take& take) {
  take(figure_name{"first_touch_fresh", "first_touch_fresh_mb_per_second"}, env.first_touch_fresh);
  take(figure_name{"first_touch_reused", "first_touch_reused_mb_per_second"}, env.first_touch_reused);
}

/// [[nanoseconds, calls], …], each bucket by its lower end; null if nothing was counted.
void to_json(nlohmann::json& out, const latency_histogram& calls);
void from_json(const nlohmann::json& in, latency_histogram& calls);
/// {"step": seconds, "bytes": […]}; null if nothing was counted.
void to_json(nlohmann::json& out, const rate_curve& curve);
void from_json(const nlohmann::json& in, rate_curve& curve);

}  // namespace freshet::tool
