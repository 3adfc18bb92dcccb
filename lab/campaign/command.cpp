#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lab/campaign/command.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto campaign_footer =
    R"(ACTION is one of
  start PLAN      begins the campaign that the plan describes, and works on it; `freshet campaign PLAN` does the same
  status          shows the last campaign: each step, its result, and the stored runs that it made
  pause           stops it once the step at work is done
  resume          goes on; a step that was cut off is repeated, and marked
  abort           ends it for good; what was measured stays in the store

A plan lists steps (measuring calls of freshet, or commands of yours), a matrix of values, repetitions, and what happens
between the steps: nothing, caches dropped, a file system remounted, or the machine rebooted. See
doc/reference/campaign-plan.md. Each step is committed to the store when it begins and when it ends, so that a power cut
loses no finished step.

A campaign with reboots installs one systemd unit, which is shown first and needs --yes. After each boot it waits until
the machine is quiet. To stop it then: `freshet campaign pause`, or create the file STORE.stop, or boot with
freshet.campaign=off on the kernel's command line.

Examples:
  freshet campaign plan.toml                     works through the plan
  freshet campaign start plan.toml --dry-run     shows its steps in their order, and the unit
  sudo freshet campaign start plan.toml --yes    also where the plan reboots the machine
  freshet campaign status --step 3               what the third step printed
  freshet campaign status --json -
The exit code is 0 also while the campaign is paused or the machine reboots, and 1 if a step failed.)";

constexpr double longest_settle = 24 * 3600;

campaign find_campaign(const journal& kept, const campaign_options& options) {
  const auto id = options.id ? std::optional{static_cast<std::int64_t>(*options.id)} : std::nullopt;
  if (const auto found = kept.find(id)) return *found;
  throw std::runtime_error{
      fmt::format("{}: there is no {}", kept.file().string(),
                  id ? fmt::format("campaign {}", *id) : "campaign; `freshet campaign start PLAN` begins one")};
}

int show_status(const campaign_options& options) {
  const journal kept{store_of(options), journal::access::read};
  const campaign_view view = view_of(kept, find_campaign(kept, options));
  if (options.step > view.steps.size())
    throw usage_error{"--step", fmt::format("the campaign has {}", format_count(view.steps.size(), "step"))};
  options.results.publish(options.step ? format_step(view.steps[*options.step - 1])
                                       : fitted(format_campaign(view, standard_screen()), standard_screen().width),
                          make_json(view));
  return 0;
}

void require_unfinished(const campaign& record) {
  if (is_over(record.state))
    throw std::runtime_error{fmt::format("campaign {} \"{}\" is over: it is {}", record.id,
                                         replace_controls(record.name), to_string(record.state))};
}

// A store that is missing has no campaign: none is made only to say so.
journal open_to_change(const campaign_options& options) {
  const fs::path file = store_of(options);
  if (!fs::exists(file)) refuse(std::errc::no_such_file_or_directory, "open", file, "");
  return journal{file, journal::access::write};
}

// Pauses or aborts it: at once, or after the step at work.
int end_campaign(const campaign_options& options, campaign_state state, std::string_view why) {
  journal kept = open_to_change(options);
  const campaign record = find_campaign(kept, options);
  require_unfinished(record);
  kept.set_state(record.id, state, why);
  if (state == campaign_state::aborted) take_unit_away(record.unit);
  const std::string done =
      process_at_work(kept.file()) ? "It ends after the step at work.\n" : fmt::format("It is {}.\n", to_string(state));
  options.results.publish(done, make_json(view_of(kept, *kept.find(record.id))));
  return 0;
}

int pause_campaign(const campaign_options& options) {
  return end_campaign(options, campaign_state::paused, "somebody paused it");
}

int abort_campaign(const campaign_options& options) { return end_campaign(options, campaign_state::aborted, {}); }

int end_at_boot(const campaign_options& options, const fs::path& unit) {
  take_unit_away(unit);
  options.results.print("no campaign is left to go on with\n");
  return 0;
}

// As the unit does after a boot: only what is meant to run goes on, and a unit without a campaign goes away.
int resume_at_boot(const campaign_options& options) {
  if (!fs::exists(store_of(options))) return end_at_boot(options, options.unit_directory / unit_name);
  journal kept = open_to_change(options);
  const campaign_lock lock{kept.file(), print_ending};
  const auto last = kept.find();
  if (!last || is_over(last->state) || last->state == campaign_state::stopped) {
    return end_at_boot(options,
                       last && !last->unit.empty() ? fs::path{last->unit} : options.unit_directory / unit_name);
  }
  if (last->state == campaign_state::paused) {
    options.results.print("campaign {} is paused\n", last->id);
    return 0;
  }
  return work_on(options, kept, *last, lock, arrival::by_boot);
}

int resume_campaign(const campaign_options& options) {
  if (options.boot) return resume_at_boot(options);
  journal kept = open_to_change(options);
  if (const campaign last = find_campaign(kept, options); !last.unit.empty() && !is_over(last.state) && !options.yes)
    throw usage_error{"--yes", "without it, the machine is not rebooted, as this campaign does before each step"};
  const campaign_lock lock{kept.file(), print_ending};
  const campaign record = find_campaign(kept, options);
  require_unfinished(record);
  if (const fs::path stop = stop_file_of(kept.file()); fs::remove(stop))
    fmt::print(stderr, "freshet campaign: removed {}\n", printable(stop.string()));
  if (!record.unit.empty() && !fs::exists(record.unit))
    install_unit(fs::path{record.unit}.parent_path(), unit_text(options, record, kept.file()));
  kept.set_state(record.id, campaign_state::running);
  return work_on(options, kept, record, lock, arrival::by_user);
}

struct action {
  std::string_view name;
  int (*run)(const campaign_options&);
};

constexpr std::array<action, 5> actions{{{"start", start_campaign},
                                         {"status", show_status},
                                         {"pause", pause_campaign},
                                         {"resume", resume_campaign},
                                         {"abort", abort_campaign}}};

int run_campaign_command(const campaign_options& given) {
  campaign_options options = given;
  const action* named = std::ranges::find(actions, options.action, &action::name);
  const bool is_plan = named == actions.end();
  if (is_plan && !options.plan.empty())
    throw usage_error{"ACTION", fmt::format("\"{}\" is none: expected start, status, pause, resume or abort",
                                            replace_controls(options.action))};
  if (is_plan) {
    options.plan = options.action;
    named = actions.begin();
  }
  if ((named == actions.begin()) == options.plan.empty())
    throw usage_error{"PLAN", options.plan.empty() ? "`start` needs the plan's file" : "only `start` takes a plan"};
  options.results.require_writable();
  return named->run(options);
}

double parse_settle(std::string_view text) {
  const double seconds = parse_seconds(text);
  if (seconds <= longest_settle) return seconds;
  reject(text, "a time to wait", "expected at most 24 hours");
}

}  // namespace

void add_campaign_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "campaign", run_campaign_command, campaign_footer);
  command.add("ACTION ACTION", options.action, "start, status, pause, resume or abort; or the file of a plan to start")
      .offer({"start", "status", "pause", "resume", "abort"})
      .require();
  command.add("PLAN", options.plan, "The file of the plan, for start");
  command.add("--store", options.store, "The store that keeps the campaign ($XDG_STATE_HOME/freshet/trials.sqlite)");
  command.add_flag("--yes", options.yes, "Install the systemd unit and reboot the machine, where the plan does that");
  const auto dry_run =
      command.add_flag("--dry-run", options.dry_run, "Show the steps in their order and the unit, and start nothing");
  command.add("--settle TIME", options.settle, parse_settle, "After a boot, wait at most this long for a quiet machine",
              format_seconds_argument);
  const auto seed = [](std::string_view text) {
    return parse_number<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max(), "a whole number");
  };
  command.add("--seed NUMBER", options.seed, +seed, "Seed of the random order, in place of the plan's");
  const auto number = [](std::string_view text) {
    return parse_number<std::uint64_t>(text, 1, 1'000'000'000, "a number");
  };
  command.add("--id NUMBER", options.id, +number, "The campaign of this number, not the last one");
  command.add("--step NUMBER", options.step, +number, "For status: all about this step, and what it printed");
  command.add("--unit-dir", options.unit_directory, "Install the unit here");
  command.add("--reboot-command", options.machine.reboot_command, "Reboot by this command of the shell");
  command.add("--proc-root", options.machine.proc, "Read procfs here");
  command.add_flag("--boot", options.boot, "For resume: what the unit calls after a boot");
  add_json_option(command, options.results, "the campaign with all its steps and their output").exclude(dry_run);
}

}  // namespace freshet::tool
