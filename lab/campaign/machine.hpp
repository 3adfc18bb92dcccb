// What a campaign does to the machine and asks of it; tests put others in its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/campaign/cold_start.hpp"
#include "lab/campaign/journal.hpp"
#include "src/os/file.hpp"

namespace freshet::tool {

/// A step's process.
struct step_call {
  std::vector<std::string> words;
  std::filesystem::path directory;
  std::vector<std::string> environment;
  double time_limit = 0;  ///< seconds
};

/// What the machine has done since boot.
struct machine_activity {
  double cpu_seconds = 0;
  std::uint64_t bytes_moved = 0;  ///< from and to block devices
};

struct campaign_machine {
  std::function<std::string()> boot_id;  ///< differs after each boot
  std::function<attempt_result(const step_call&)> run_step;
  std::function<cold_start(const std::filesystem::path& directory, std::span<const std::filesystem::path> inputs)>
      drop_caches;
  std::function<cold_start(const mounted& how, std::span<const std::filesystem::path> inputs)> remount;
  std::function<machine_activity()> activity;
  std::function<double()> seconds;                        ///< a clock that never goes back
  std::function<void(double)> sleep;                      ///< throws interrupted
  std::function<void(const std::string&)> tell_everyone;  ///< writes to the terminals of all users; never fails
  std::function<void()> reboot;                           ///< asks for it, and returns. Throws freshet::error
};

/// Where this machine's facts come from, and how it is rebooted.
struct machine_choice {
  std::filesystem::path proc = "/proc";
  std::string reboot_command = "systemctl reboot";  ///< for the shell
};

/// The machine that this process runs on. `lock` stays open in each step's processes, and must outlive the result.
[[nodiscard]] campaign_machine this_machine(const machine_choice& chosen, const detail::os::file& lock);

/// How long to wait for a quiet machine.
struct quiet_limits {
  double least = 30;  ///< seconds in any case, so that whoever sits there can stop it
  double most = 300;  ///< seconds
};
/// Waits until the machine has been quiet for 5 s: processors busy for less than a tenth of one, and less than 1 MiB
/// per second from and to devices. Asks `stop` each second, and returns early if it says so. @return  for people: how
/// long it took, or that it was not quiet. @throws interrupted
[[nodiscard]] std::string wait_until_machine_quiet(const campaign_machine& machine, const quiet_limits& limits,
                                                   const std::function<bool()>& stop);

}  // namespace freshet::tool
