#include "tool/trial/trial_runner.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "src/base/pool.hpp"
#include "src/method/prior.hpp"
#include "tool/measure/quiet.hpp"

namespace freshet::tool {
namespace {

class machine_memory : public memory_preparation {
 public:
  machine_memory(std::filesystem::path directory, double patience)
      : directory_{std::move(directory)}, in_use_{patience} {}

  void provide(memory_state wanted, std::uint64_t bytes) override {
    switch (wanted) {
      case memory_state::left:
        return in_use_.release();
      case memory_state::unbacked:
        return in_use_.take_backed_memory();
      case memory_state::recycled:
        in_use_.release();
        return free_memory_at_once(directory_, bytes);
    }
  }

 private:
  std::filesystem::path directory_;
  memory_in_use in_use_;  // so that no trial's file gets it
};

}  // namespace

meter::meter(const std::string& device_name, const idle_baseline& idle, measured_processes processes)
    : other_writers_{processes.own},
      throttled_before_{throttle_.read()},
      device_name_{device_name},
      worker_{processes.worker},
      is_alone_{processes.own.size() < 2},
      device_{detail::os::read_device_counters(device_name)},
      process_{counters()},
      cpu_{idle, processes.worker},
      run_queue_{processes.worker} {}

void meter::finish(trial_result& trial) const {
  trial.seconds_to_close = to_close_;
  trial.seconds_to_disk = watch_.seconds();
  const cpu_usage usage = cpu_.stop();
  trial.cpu_process = usage.process;
  trial.cpu_whole = usage.whole;
  trial.cpu_stolen = usage.stolen;
  if (waited_ && is_alone_) trial.cpu_waited = waited_->caused_by(usage.others, std::thread::hardware_concurrency());
  const process_counters now = counters();
  if (!worker_) trial.cpu_user = now.user_seconds - process_.user_seconds;
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

std::shared_ptr<memory_preparation> prepare_machine_memory(std::filesystem::path directory, double patience) {
  return std::make_shared<machine_memory>(std::move(directory), patience);
}

void trial_clock::start(measured_processes processes) {
  trial_.started = format_utc_now();
  meter_.emplace(device_name_, idle_, std::move(processes));
}

trial_runner::trial_runner(std::filesystem::path directory, detail::os::file_system place,
                           std::shared_ptr<memory_preparation> memory)
    : directory_{std::move(directory)},
      place_{std::move(place)},
      memory_{memory ? std::move(memory) : prepare_machine_memory(directory_)} {}

void trial_runner::run(trial_result& trial, const trial_steps& steps) {
  prepare(trial, steps);
  measure_and_judge(trial, steps);
}

void trial_runner::measure_and_judge(trial_result& trial, const trial_steps& steps) {
  measure(trial, steps);
  if (!steps.check_files) return;
  const file_evidence evidence = steps.check_files();
  apply_gates(trial, evidence.content_matches, place_, evidence.drop_failure, evidence.method);
}

void trial_runner::prepare(trial_result& trial, const trial_steps& steps) {
  if (steps.wait_until_quiet) trial.started_quiet = wait_until_quiet();
  if (steps.prepare) steps.prepare();
  if (steps.memory) memory_->provide(steps.memory->state, steps.memory->bytes);
  // A program starts without blocks in the pool, and knows nothing of what earlier files met.
  if (steps.first_file) {
    detail::pool::release_idle();
    detail::forget_priors();
  }
  touched_.emplace();
  trial.first_touch = touched_->rate();
  // Memory as trials leave it is in no one state: whatever a program meets there is part of the answer.
  trial.met_slow_memory = trial.plan.memory != memory_state::left && touched_->is_slow();
  if (steps.warm_up) steps.warm_up();
}

void trial_runner::measure(trial_result& trial, const trial_steps& steps) {
  if (steps.learn) {
    steps.learn();
    if (steps.wait_until_quiet && !wait_until_quiet()) trial.started_quiet = false;
  }
  const peak_memory memory;
  trial_clock clock{trial, place_.device_name, idle_};
  steps.work(clock);
  clock.meter_->closed();
  if (steps.sync) steps.sync();
  clock.meter_->finish(trial);
  if (!clock.meter_->has_worker()) trial.peak_memory = memory.bytes();
  touched_.reset();
}

// Long enough to learn what the machine does when it does nothing for us, where the device's counters can be read.
// False if the device does not become idle.
bool trial_runner::wait_until_quiet() {
  constexpr double enough = 0.5;  // seconds
  bool quiet = false;
  double known = 0;
  do {
    known = idle_.seconds();
    quiet = tool::wait_until_quiet(directory_, place_.device_name, idle_, patience_);
  } while (quiet && idle_.seconds() > known && idle_.seconds() < enough);
  // Where others write all the time, waiting for them leaves no time to measure.
  patience_ = quiet ? longest_wait : std::max(patience_ / 2, shortest_wait);
  return quiet;
}

}  // namespace freshet::tool
