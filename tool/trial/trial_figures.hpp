// The members of a plan, a trial and an environment by their names. Store, JSON and CSV follow these lists, so that a
// new figure appears in all of them; a new name in the store needs a schema step.
#pragma once

#include <concepts>
#include <type_traits>

#include <nlohmann/json_fwd.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A `Value`, or a const one.
template <typename Type, typename Value>
concept maybe_const = std::same_as<std::remove_const_t<Type>, Value>;

/// Calls take(name, value) for each member of a plan.
template <maybe_const<trial_plan> Plan, typename Take>
void each_option(Plan& plan, const Take& take) {
  take("method", plan.method);
  take("block", plan.block);
  take("depth", plan.depth);
  take("reserve", plan.reserve);
  take("ordered", plan.ordered);
  take("size_ahead", plan.size_ahead);
  take("class", plan.measured_class);
  take("workload", plan.workload);
  take("target", plan.target);
  take("memory", plan.memory);
  take("size", plan.size);
  take("jobs", plan.jobs);
  take("seed", plan.seed);
  take("volume", plan.volume);
}

/// Calls take(name, value) for each member of a trial except its plan.
template <maybe_const<trial_result> Trial, typename Take>
void each_figure(Trial& trial, const Take& take) {
  take("round", trial.round);
  take("position", trial.position);
  take("method", trial.method);
  take("started", trial.started);
  take("bytes", trial.bytes);
  take("lines", trial.lines);
  take("seconds_to_close", trial.seconds_to_close);
  take("seconds_to_disk", trial.seconds_to_disk);
  take("cpu_process", trial.cpu_process);
  take("cpu_whole", trial.cpu_whole);
  take("cpu_stolen", trial.cpu_stolen);
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
  take("generator_ceiling", trial.generator_ceiling);
  take("started_quiet", trial.started_quiet);
  take("bytes_compared", trial.bytes_compared);
  take("bytes_written", trial.bytes_written);
  take("bytes_cached", trial.bytes_cached);
  take("peak_memory", trial.peak_memory);
  take("block_latency", trial.block_latency);
  take("over_time", trial.over_time);
  take("written_by_others", trial.written_by_others);
  take("verdict", trial.validity);
  take("reasons", trial.reasons);
  take("first_touch", trial.first_touch);
  take("cpu_waited", trial.cpu_waited);
  take("screening", trial.screening);
  take("met_slow_memory", trial.met_slow_memory);
}

/// Calls take(name, value) for each member of an environment that stays the same from run to run.
template <maybe_const<environment> Environment, typename Take>
void each_setting(Environment& env, const Take& take) {
  take("machine", env.machine);
  take("kernel", env.kernel);
  take("cpus", env.cpus);
  take("memory", env.memory);
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
  take("version", env.version);
  take("build", env.build);
}

/// Calls take(name, value) for each member of an environment that is measured anew in each run.
template <maybe_const<environment> Environment, typename Take>
void each_measured_setting(Environment& env, const Take& take) {
  take("first_touch_fresh", env.first_touch_fresh);
  take("first_touch_reused", env.first_touch_reused);
}

/// [[nanoseconds, calls], …], each bucket by its lower end; null if nothing was counted.
void to_json(nlohmann::json& out, const latency_histogram& calls);
void from_json(const nlohmann::json& in, latency_histogram& calls);
/// {"step": seconds, "bytes": […]}; null if nothing was counted.
void to_json(nlohmann::json& out, const rate_curve& curve);
void from_json(const nlohmann::json& in, rate_curve& curve);

}  // namespace freshet::tool
