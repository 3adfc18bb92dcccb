// Makes a campaign's steps one after another, and goes on where an earlier process was cut off.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "lab/campaign/journal.hpp"
#include "lab/campaign/machine.hpp"
#include "lab/campaign/plan.hpp"

namespace freshet::tool {

/// A campaign stops after so many boots in a row in which it finished no step.
inline constexpr unsigned most_boots = 3;

/// Why a process that works on a campaign begins.
enum class arrival : std::uint8_t { by_user, by_boot };

/// How such a process ends.
enum class departure : std::uint8_t {
  done,     ///< every step has a result
  paused,   ///< somebody asked for it
  stopped,  ///< it cannot go on by itself; the journal says why
  aborted,
  rebooting,  ///< the machine was asked to reboot, and goes on then
};

struct runner_choice {
  quiet_limits quiet;               ///< after a boot
  std::filesystem::path stop_file;  ///< while it exists, the campaign is paused
  std::filesystem::path program;    ///< freshet, for its own steps
};

/// Called with what happens.
struct campaign_listener {
  std::function<void(const journaled_step& step, std::uint64_t all)> begins = [](const auto&, auto) {};
  std::function<void(const journaled_step& step, const attempt_result& result)> ends = [](const auto&, const auto&) {};
  std::function<void(const std::string& text)> note = [](const auto&) {};
};

/// Works on `record` until it ends or has to wait for a reboot. A step that was begun and has no result is repeated.
/// Precondition: no other process works on it. @throws freshet::error; interrupted, and then the step at work has no
/// result
[[nodiscard]] departure run_campaign(journal& kept, const campaign& record, const campaign_machine& machine,
                                     arrival how, const runner_choice& choice, const campaign_listener& listener);

/// The file that stops the campaign of a store while it exists.
[[nodiscard]] std::filesystem::path stop_file_of(const std::filesystem::path& store);

}  // namespace freshet::tool
