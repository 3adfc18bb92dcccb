#include "tool/trial/trial_runner.hpp"

#include <utility>

#include "tool/measure/clock.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

class machine_memory : public memory_preparation {
 public:
  explicit machine_memory(std::filesystem::path directory) : directory_{std::move(directory)} {}

  void provide(memory_state wanted, std::uint64_t bytes) override {
    switch (wanted) {
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

std::shared_ptr<memory_preparation> prepare_machine_memory(std::filesystem::path directory) {
  return std::make_shared<machine_memory>(std::move(directory));
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
  measure(trial, steps);
  if (!steps.check_files) return;
  const file_evidence evidence = steps.check_files();
  apply_gates(trial, evidence.content_matches, place_, evidence.drop_failure);
}

void trial_runner::prepare(trial_result& trial, const trial_steps& steps) {
  if (steps.wait_until_quiet) trial.started_quiet = wait_until_quiet();
  if (steps.prepare) steps.prepare();
  if (steps.memory) memory_->provide(steps.memory->state, steps.memory->bytes);
  if (steps.warm_up) steps.warm_up();
}

void trial_runner::measure(trial_result& trial, const trial_steps& steps) {
  trial_clock clock{trial, place_.device_name, idle_};
  steps.work(clock);
  clock.meter_->closed();
  if (steps.sync) steps.sync();
  clock.meter_->finish(trial);
}

// Long enough to learn what the machine does when it does nothing for us. False if the device does not become idle.
bool trial_runner::wait_until_quiet() {
  constexpr double enough = 0.5;  // seconds
  bool quiet = false;
  do {
    quiet = tool::wait_until_quiet(directory_, place_.device_name, idle_);
  } while (quiet && !place_.device_name.empty() && idle_.seconds() < enough);
  return quiet;
}

}  // namespace freshet::tool
