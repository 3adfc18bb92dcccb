// What is known of a plan, a trial and a place, each by its name: whatever writes or reads all of it goes by these
// lists.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <nlohmann/json_fwd.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A `Value`, or a const one.
template <typename Type, typename Value>
concept maybe_const = std::same_as<std::remove_const_t<Type>, Value>;

/// Hands all of a plan's options to `take`, as take(name, value).
template <maybe_const<trial_plan> Plan, typename Take>
void each_option(Plan& plan, const Take& take) {
  take("method", plan.method);
  take("block", plan.block);
  take("depth", plan.depth);
  take("reserve", plan.reserve);
  take("ordered", plan.ordered);
  take("size_ahead", plan.size_ahead);
  take("class", plan.what);
  take("workload", plan.workload);
  take("target", plan.target);
  take("memory", plan.memory);
  take("size", plan.size);
  take("jobs", plan.jobs);
  take("seed", plan.seed);
}

/// Hands all of a trial but its plan to `take`, as take(name, value).
template <maybe_const<trial_result> Trial, typename Take>
void each_figure(Trial& made, const Take& take) {
  take("round", made.round);
  take("position", made.position);
  take("method", made.method);
  take("started", made.started);
  take("bytes", made.bytes);
  take("lines", made.lines);
  take("seconds_to_close", made.seconds_to_close);
  take("seconds_to_disk", made.seconds_to_disk);
  take("cpu_process", made.cpu_process);
  take("cpu_whole", made.cpu_whole);
  take("cpu_stolen", made.cpu_stolen);
  take("heat_events", made.heat_events);
  take("cooling_steps", made.cooling_steps);
  take("quota_seconds", made.quota_seconds);
  take("suspended_seconds", made.suspended_seconds);
  take("write_calls", made.write_calls);
  take("faults_minor", made.faults_minor);
  take("faults_major", made.faults_major);
  take("switches_voluntary", made.switches_voluntary);
  take("switches_involuntary", made.switches_involuntary);
  take("device_writes", made.device_writes);
  take("device_merges", made.device_merges);
  take("device_bytes", made.device_bytes);
  take("device_reads", made.device_reads);
  take("device_bytes_read", made.device_bytes_read);
  take("extents", made.extents);
  take("generator_ceiling", made.generator_ceiling);
  take("started_quiet", made.started_quiet);
  take("bytes_compared", made.bytes_compared);
  take("bytes_written", made.bytes_written);
  take("bytes_cached", made.bytes_cached);
  take("peak_memory", made.peak_memory);
  take("block_latency", made.block_latency);
  take("over_time", made.over_time);
  take("written_by_others", made.written_by_others);
  take("verdict", made.validity);
  take("reasons", made.reasons);
}

/// Hands what stays the same at a place from run to run to `take`, as take(name, value).
template <maybe_const<environment> Environment, typename Take>
void each_setting(Environment& here, const Take& take) {
  take("machine", here.machine);
  take("kernel", here.kernel);
  take("cpus", here.cpus);
  take("memory", here.memory);
  take("governor", here.governor);
  take("directory", here.directory);
  take("file_system_key", here.file_system_key);
  take("file_system", here.file_system);
  take("mount_options", here.mount_options);
  take("device", here.device);
  take("device_model", here.device_model);
  take("scheduler", here.scheduler);
  take("write_cache", here.write_cache);
  take("dirty_settings", here.dirty_settings);
  take("version", here.version);
  take("build", here.build);
}

/// Hands what was measured of a place, and is another figure every time, to `take`, as take(name, value).
template <maybe_const<environment> Environment, typename Take>
void each_measured_setting(Environment& here, const Take& take) {
  take("first_touch_fresh", here.first_touch_fresh);
  take("first_touch_reused", here.first_touch_reused);
}

/// The greatest value of an enumeration, whose values are named by to_string().
template <typename Enumeration>
inline constexpr Enumeration greatest = Enumeration{};
template <>
inline constexpr auto greatest<io_class> = io_class::warm;
template <>
inline constexpr auto greatest<workload_kind> = workload_kind::blocks;
template <>
inline constexpr auto greatest<target_kind> = target_kind::overwrite;
template <>
inline constexpr auto greatest<memory_state> = memory_state::reused;
template <>
inline constexpr auto greatest<trial_validity> = trial_validity::unknown;

/// The value that to_string() calls `name`; false where none is.
template <typename Enumeration>
[[nodiscard]] bool from_name(std::string_view name, Enumeration& into) {
  for (std::size_t value = 0; value <= static_cast<std::size_t>(greatest<Enumeration>); ++value)
    if (to_string(static_cast<Enumeration>(value)) == name) {
      into = static_cast<Enumeration>(value);
      return true;
    }
  return false;
}

/// [[nanoseconds, calls], …], each bucket by its lower end; null where nothing was counted.
void to_json(nlohmann::json& out, const latency_histogram& calls);
void from_json(const nlohmann::json& in, latency_histogram& calls);
/// {"step": seconds, "bytes": […]}; null where nothing was counted.
void to_json(nlohmann::json& out, const rate_curve& curve);
void from_json(const nlohmann::json& in, rate_curve& curve);

}  // namespace freshet::tool
