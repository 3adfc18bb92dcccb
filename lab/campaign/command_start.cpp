#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/base/abilities.hpp"
#include "lab/campaign/command.hpp"
#include "lab/campaign/plan.hpp"
#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/commands.hpp"
#include "tool/report/screen.hpp"

#include "tool/store/attempt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

std::string read_plan_text(const fs::path& file) {
  std::error_code failure;
  if (fs::is_directory(file, failure)) refuse(std::errc::is_a_directory, "read", file, "");
  std::ifstream in{file, std::ios::binary};
  std::string text(largest_plan + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && !in.eof()) throw error{{errno == 0 ? EIO : errno, std::system_category()}, "read", file};
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// What steps may depend on. A campaign that goes on after a boot has nothing else of the user's environment.
std::vector<std::string> read_kept_environment() {
  constexpr std::array<std::string_view, 7> names{"PATH", "HOME",   "USER",           "LOGNAME",
                                                  "LANG", "TMPDIR", "LD_LIBRARY_PATH"};
  constexpr std::array<std::string_view, 3> prefixes{"LC_", "XDG_", "FRESHET_"};
  std::vector<std::string> kept;
  for (const std::string& each : merge_environment({})) {
    const std::string_view name = std::string_view{each}.substr(0, each.find('='));
    if (name != attempt_variable &&
        (std::ranges::find(names, name) != names.end() ||
         std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); })))
      kept.push_back(each);
  }
  return kept;
}

bool is_below(const fs::path& file, const fs::path& directory) {
  const fs::path relative = fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(directory));
  return !relative.empty() && *relative.begin() != "..";
}

// What the plan needs of the machine and may not have. @throws freshet::error
void require_means(const campaign_plan& plan, campaign& record, const fs::path& store,
                   const campaign_options& options) {
  if (!fs::is_directory(record.directory)) refuse(std::errc::not_a_directory, "run steps in", record.directory, "");
  switch (plan.between) {
    case between_steps::nothing:
      return;
    case between_steps::drop_caches:
      if (const std::string why = why_not_drop_caches(options.machine.proc); !why.empty())
        throw std::runtime_error{why};
      return;
    case between_steps::remount: {
      const mounted how = find_mount(record.directory / plan.mount);
      if (::geteuid() != 0) refuse(std::errc::operation_not_permitted, "remount", how.point, "this takes root");
      if (is_below(store, how.point))
        refuse(std::errc::device_or_resource_busy, "remount", how.point,
               "the store lies there; name another with --store");
      if (is_below(record.directory, how.point) && record.directory == fs::current_path())
        refuse(std::errc::device_or_resource_busy, "remount", how.point,
               "start the campaign from a directory elsewhere");
      record.mount = to_json_text(how);
      return;
    }
    case between_steps::reboot:
      if (::access(options.unit_directory.c_str(), W_OK) != 0)
        throw error{{errno, std::system_category()}, "install a unit in", options.unit_directory};
      record.unit = (options.unit_directory / unit_name).string();
  }
}

// @throws usage_error  if the plan cannot be understood, or freshet would refuse the words of a step
campaign_plan read_plan(const std::string& text, const fs::path& file) try {
  return parse_plan(text, file);
} catch (const error& refused) {
  throw usage_error{"PLAN", refused.what()};
}

void require_known_options(const std::vector<planned_step>& steps) {
  program_parser program{"freshet", "", "", ""};
  add_all_commands(program);
  add_abilities(program);
  std::set<std::vector<std::string>> checked;
  for (const planned_step& step : steps) {
    if (step.for_shell || !checked.insert(step.words).second) continue;
    if (const std::string reason = program.why_refused(step.words); !reason.empty())
      throw usage_error{"PLAN", fmt::format("{}: \"freshet {}\": {}", describe(step), fmt::join(step.words, " "),
                                            reason.substr(0, reason.find('\n')))};
  }
}

void refuse_second(const journal& kept) {
  if (const auto last = kept.find(); last && !is_over(last->state))
    throw std::runtime_error{
        fmt::format("campaign {} \"{}\" in {} is not over: `freshet campaign resume` goes on, `abort` ends it",
                    last->id, replace_controls(last->name), printable(kept.file().string()))};
  if (const fs::path stop = stop_file_of(kept.file()); fs::exists(stop))
    throw std::runtime_error{fmt::format("the file {} stops campaigns; remove it first", stop.string())};
}

}  // namespace

int start_campaign(const campaign_options& options) {
  const fs::path file = options.plan;
  campaign record;
  record.plan = read_plan_text(file);
  const campaign_plan plan = read_plan(record.plan, file);
  const fs::path store = store_of(options);
  record.name = plan.name;
  record.directory = normalize_directory(fs::absolute(file).parent_path() / plan.directory);
  record.seed = options.seed.value_or(plan.seed.value_or(std::random_device{}()));
  require_means(plan, record, store, options);
  const std::vector<planned_step> steps = list_steps(plan, record.seed);
  require_known_options(steps);
  std::string unit;
  if (!record.unit.empty()) unit = unit_text(options, record, store);
  if (options.dry_run || (!unit.empty() && !options.yes)) {
    options.results.print("{}", format_plan(steps, standard_screen()));
    if (!unit.empty()) options.results.print("\n{}, until the campaign is over:\n\n{}", record.unit, unit);
    if (options.dry_run) return 0;
    throw usage_error{"--yes", "without it, nothing is installed, and the machine is not rebooted"};
  }
  options.results.require_writable();
  journal kept{store, journal::access::write};
  const campaign_lock lock{store, print_ending};
  refuse_second(kept);
  record.environment = read_kept_environment();
  record.started = format_utc_now();
  record.last_boot = this_machine(options.machine, lock.file()).boot_id();
  // A unit without a campaign takes itself away at the next boot; a campaign without a unit would be forgotten.
  if (!unit.empty()) install_unit(options.unit_directory, unit);
  try {
    kept.add(record, steps);
  } catch (...) {
    if (!unit.empty()) remove_unit(record.unit);
    throw;
  }
  if (!unit.empty()) reload_units(options.unit_directory);
  return work_on(options, kept, record, lock, arrival::by_user);
}

}  // namespace freshet::tool
