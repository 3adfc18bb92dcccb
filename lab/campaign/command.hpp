// What `freshet campaign` is told, and the parts of its actions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lab/campaign/journal.hpp"
#include "lab/campaign/lock.hpp"
#include "lab/campaign/report.hpp"
#include "lab/campaign/runner.hpp"
#include "lab/campaign/unit.hpp"
#include "tool/command/results.hpp"

namespace freshet::tool {

struct campaign_options {
  std::string action;
  std::string plan;
  std::filesystem::path store;
  bool yes = false;
  bool dry_run = false;
  bool boot = false;
  double settle = quiet_limits{}.most;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> id;
  std::optional<std::uint64_t> step;
  std::filesystem::path unit_directory = usual_unit_directory;
  machine_choice machine;
  result_files results;
};

/// The store of the campaign. @throws std::runtime_error  if none is named and no default is known
[[nodiscard]] std::filesystem::path store_of(const campaign_options& options);

/// Begins the campaign of options.plan, and works on it. Returns the exit code.
[[nodiscard]] int start_campaign(const campaign_options& options);

/// Works on a campaign until it ends or waits for a reboot, and says how it stands. Returns the exit code.
[[nodiscard]] int work_on(const campaign_options& options, journal& kept, const campaign& record,
                          const campaign_lock& lock, arrival how);

/// The text of the systemd unit that goes on with a campaign.
[[nodiscard]] std::string unit_text(const campaign_options& options, const campaign& record,
                                    const std::filesystem::path& store);
/// Removes a campaign's unit, if it has one.
void take_unit_away(const std::filesystem::path& unit);
/// Lets systemd know of a unit that came or went in the directory.
void reload_units(const std::filesystem::path& directory);

[[nodiscard]] campaign_view view_of(const journal& kept, const campaign& record);
/// Says on standard error which processes of a step are ended.
void print_ending(const std::string& processes);

}  // namespace freshet::tool
