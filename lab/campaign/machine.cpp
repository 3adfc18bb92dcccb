#include "lab/campaign/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t output_kept = std::size_t{64} << 10;
constexpr int timed_out = 124;  // as timeout(1) has it

attempt_result run_step_process(const step_call& call, const detail::os::file& lock) {
  const stopwatch watch;
  attempt_result result;
  try {
    child step{{.words = call.words,
                .directory = call.directory,
                .environment = call.environment,
                .time_limit = call.time_limit,
                .output_kept = output_kept,
                .kept_open = &lock,
                .ends_with_parent = true},
               child::connection::listen};
    try {
      result.exit_code = step.wait_for_exit();
      result.output = step.last_output();
    } catch (const child_failure& failure) {
      result.exit_code = timed_out;
      result.output = step.last_output() + failure.what() + '\n';
    }
  } catch (const child_failure& failure) {
    constexpr int not_found = 127;  // as shells have it
    result.exit_code = not_found;
    result.output = fmt::format("{}\n", failure.what());
  }
  result.seconds = watch.seconds();
  return result;
}

void show_on_all_terminals(const std::string& text) {
  constexpr double patience = 10;
  try {
    run_program({.words = {"wall", text}, .time_limit = patience});
  } catch (const child_failure&) {
    // Where there is no wall(1), nobody is told; the journal of systemd has the text, too.
  }
}

void reboot_by(const std::string& command) {
  constexpr double patience = 60;
  ::sync();
  try {
    run_program({.words = {"sh", "-c", command}, .time_limit = patience});
  } catch (const child_failure& failure) {
    refuse(std::errc::io_error, "reboot by", command, fmt::format("{}: {}", failure.what(), failure.last_words()));
  }
}

machine_activity read_activity(const std::filesystem::path& proc) {
  const auto moved = [&](std::string_view label) { return read_labelled(proc / "vmstat", label).value_or(0) << 10; };
  return {.cpu_seconds = read_machine_cpu(proc).busy, .bytes_moved = moved("pgpgin") + moved("pgpgout")};
}

}  // namespace

campaign_machine this_machine(const machine_choice& chosen, const detail::os::file& lock) {
  campaign_machine machine;
  machine.boot_id = [proc = chosen.proc] { return read_first_line(proc / "sys/kernel/random/boot_id"); };
  machine.run_step = [&lock](const step_call& call) { return run_step_process(call, lock); };
  machine.drop_caches = [proc = chosen.proc](const auto& directory, auto inputs) {
    return drop_caches(directory, inputs, proc);
  };
  machine.remount = [](const mounted& how, auto inputs) { return remount(how, inputs); };
  machine.activity = [proc = chosen.proc] { return read_activity(proc); };
  machine.seconds = [watch = stopwatch{}] { return watch.seconds(); };
  machine.sleep = sleep_interruptibly;
  machine.tell_everyone = show_on_all_terminals;
  machine.reboot = [command = chosen.reboot_command] { reboot_by(command); };
  return machine;
}

std::string wait_until_machine_quiet(const campaign_machine& machine, const quiet_limits& limits,
                                     const std::function<bool()>& stop) {
  constexpr double calm = 5;  // seconds
  constexpr double most_cpu = 0.1;
  constexpr double most_bytes = 1 << 20;
  const double least = std::min(limits.least, limits.most);
  const double begin = machine.seconds();
  double last_busy = begin;
  machine_activity before = machine.activity();
  double looked = begin;
  while (!stop()) {
    machine.sleep(1);
    const machine_activity now = machine.activity();
    const double time = machine.seconds();
    const double passed = std::max(time - looked, 0.001);
    if (now.cpu_seconds - before.cpu_seconds > most_cpu * passed ||
        static_cast<double>(now.bytes_moved - before.bytes_moved) > most_bytes * passed)
      last_busy = time;
    before = now;
    looked = time;
    if (time - last_busy >= calm && time - begin >= least) return fmt::format("quiet after {:.0f} s", time - begin);
    if (time - begin >= limits.most) break;
  }
  return fmt::format("not quiet within {:.0f} s", machine.seconds() - begin);
}

}  // namespace freshet::tool
