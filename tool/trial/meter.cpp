#include "tool/trial/meter.hpp"

#include <algorithm>
#include <utility>

namespace freshet::tool {

meter::meter(const std::string& device_name, const idle_baseline& idle, measured_processes processes)
    : other_writers_{std::move(processes.own)},
      throttled_before_{throttle_.read()},
      device_name_{device_name},
      worker_{processes.worker},
      device_{detail::os::read_device_counters(device_name)},
      process_{counters()},
      cpu_{idle, processes.worker} {}

void meter::finish(trial_result& trial) const {
  trial.seconds_to_close = to_close_;
  trial.seconds_to_disk = watch_.seconds();
  const cpu_usage usage = cpu_.stop();
  trial.cpu_process = usage.process;
  trial.cpu_whole = usage.whole;
  trial.cpu_stolen = usage.stolen;
  const process_counters now = counters();
  trial.write_calls = now.write_calls - process_.write_calls;
  trial.faults_minor = now.faults_minor - process_.faults_minor;
  trial.faults_major = now.faults_major - process_.faults_major;
  trial.switches_voluntary = now.switches_voluntary - process_.switches_voluntary;
  trial.switches_involuntary = now.switches_involuntary - process_.switches_involuntary;
  if (const auto device = detail::os::read_device_counters(device_name_); device && device_) {
    trial.device_writes = device->writes - device_->writes;
    trial.device_merges = device->write_merges - device_->write_merges;
    trial.device_bytes = device->written_bytes - device_->written_bytes;
    trial.device_reads = device->reads - device_->reads;
    trial.device_bytes_read = device->read_bytes - device_->read_bytes;
  }
  trial.block_latency = blocks_.latencies();
  trial.over_time = blocks_.over_time();
  enter_throttling(trial);
  trial.written_by_others = other_writers_.written();
}

process_counters meter::counters() const { return worker_ ? read_process_counters(*worker_) : read_process_counters(); }

void meter::enter_throttling(trial_result& trial) const {
  const throttle_counters now = throttle_.read();
  trial.heat_events = now.heat_events - throttled_before_.heat_events;
  trial.cooling_steps = std::max(now.cooling_steps, throttled_before_.cooling_steps);
  trial.quota_seconds = now.quota_seconds - throttled_before_.quota_seconds;
  trial.suspended_seconds = now.suspended_seconds - throttled_before_.suspended_seconds;
}

std::optional<std::uint64_t> count_extents(const std::filesystem::path& path) {
  std::error_code failure;
  const detail::os::file file = detail::os::file::open_existing(path, failure);
  if (failure) return {};
  const auto extents = file.extents(failure);
  if (failure) return {};
  std::uint64_t pieces = 0;
  std::uint64_t next = 0;
  for (const detail::os::extent& piece : extents) {
    if (pieces == 0 || piece.physical != next) ++pieces;
    next = piece.physical + piece.length;
  }
  return pieces;
}

}  // namespace freshet::tool
