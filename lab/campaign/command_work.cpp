#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/campaign/command.hpp"
#include "tool/base/child.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/report/screen.hpp"
#include "tool/store/store.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_at_boot(const campaign_options& options, const fs::path& store) {
  const campaign_options usual;
  std::vector<std::string> words{starting_program().string(),
                                 "campaign",
                                 "resume",
                                 "--boot",
                                 "--store",
                                 store.string(),
                                 "--settle",
                                 format_seconds_argument(options.settle)};
  if (options.machine.reboot_command != usual.machine.reboot_command)
    words.insert(words.end(), {"--reboot-command", options.machine.reboot_command});
  if (options.machine.proc != usual.machine.proc)
    words.insert(words.end(), {"--proc-root", options.machine.proc.string()});
  return words;
}

// What is wrong, in a line on standard error; what of it is the campaign's fault, in the exit code.
int report_end(const campaign_options& options, const journal& kept, std::int64_t id, departure how) {
  campaign_view view = view_of(kept, *kept.find(id));
  view.process.reset();  // it is this one, which ends
  const campaign_counts counts = count_steps(view.steps);
  options.results.write(make_json(view));
  options.results.print("{}", fitted(format_campaign(view, standard_screen()), standard_screen().width));
  switch (how) {
    case departure::done:
      if (counts.failed == 0) return 0;
      fmt::print(stderr, "freshet campaign: {} of {} failed\n", counts.failed, format_count(counts.done, "step"));
      return 1;
    case departure::stopped:
      fmt::print(stderr, "freshet campaign: it stops: {}\n", replace_controls(view.record.why));
      return 1;
    case departure::aborted:
      fmt::print(stderr, "freshet campaign: it was aborted\n");
      return 1;
    case departure::paused:
      fmt::print(stderr, "freshet campaign: it is paused; `freshet campaign resume` goes on\n");
      return 0;
    case departure::rebooting:
      break;
  }
  return 0;
}

std::vector<run_summary> read_figures(const fs::path& file, const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return {};
  const store kept{file};
  const task_sizes sizes = kept.sizes();
  std::vector<run_summary> figures;
  for (run& each : kept.runs({.runs = numbers})) {
    run_summary& summary = figures.emplace_back(std::move(each), sizes);
    kept.each({.runs = {summary.about.id}}, [&](record&& trial) { summary.add(std::move(trial)); });
  }
  draw_runs(figures, ask_laboratory);
  return figures;
}

campaign_listener listen(const result_files& results, progress& line) {
  campaign_listener listener;
  listener.begins = [&line](const journaled_step& step, std::uint64_t all) {
    line.show(fmt::format("step {} of {}: {}", step.position, all, describe(step.planned)));
  };
  listener.ends = [&results, &line](const journaled_step& step, const attempt_result& result) {
    line.clear();
    results.print("step {}: {}: {} after {} s{}\n", step.position, describe(step.planned),
                  result.exit_code == 0 ? "done" : fmt::format("exit code {}", result.exit_code),
                  format_figure(result.seconds), reason_of(result));
    std::fflush(stdout);
  };
  listener.note = [&line](const std::string& text) {
    line.clear();
    fmt::print(stderr, "freshet campaign: {}\n", text);
  };
  return listener;
}

}  // namespace

fs::path store_of(const campaign_options& options) {
  const fs::path file = options.store.empty() ? default_store() : options.store;
  if (file.empty())
    throw std::runtime_error{"neither XDG_STATE_HOME nor HOME is set; name the store with --store FILE"};
  return fs::absolute(file).lexically_normal();
}

std::string unit_text(const campaign_options& options, const campaign& record, const fs::path& store) {
  return format_unit(record.name, words_at_boot(options, store), store, stop_file_of(store));
}

// Lets systemd know of a unit that came or went. Where systemd does not run, nothing needs to know.
void reload_units(const fs::path& directory) {
  if (directory != usual_unit_directory) return;
  try {
    child reload{{.words = {"systemctl", "daemon-reload"}, .directory = "/", .environment = merge_environment({})},
                 child::connection::listen};
    reload.wait_for_success();
  } catch (const child_failure& failure) {
    fmt::print(stderr, "freshet campaign: systemctl daemon-reload: {} {}\n", failure.what(), failure.last_words());
  }
}

void take_unit_away(const fs::path& unit) {
  if (unit.empty()) return;
  remove_unit(unit);
  reload_units(unit.parent_path());
}

campaign_view view_of(const journal& kept, const campaign& record) {
  const fs::path stop = stop_file_of(kept.file());
  campaign_view view{.record = record,
                     .steps = kept.steps(record.id),
                     .process = process_at_work(kept.file()),
                     .store = kept.file(),
                     .stop_file = fs::exists(stop) ? stop.string() : ""};
  view.figures = read_figures(kept.file(), shared_runs(view.steps));
  return view;
}

void print_ending(const std::string& processes) {
  fmt::print(stderr, "freshet campaign: ending what is left of a step that was cut off: {}\n", processes);
}

int work_on(const campaign_options& options, journal& kept, const campaign& record, const campaign_lock& lock,
            arrival how) {
  progress line;
  const runner_choice choice{
      .quiet = {.most = options.settle}, .stop_file = stop_file_of(kept.file()), .program = starting_program()};
  departure end{};
  try {
    end = run_campaign(kept, record, this_machine(options.machine, lock.file()), how, choice,
                       listen(options.results, line));
  } catch (interrupted& signal) {
    // Whoever shuts the machine down wants it to go on after the next boot.
    if (how == arrival::by_user) kept.set_state(record.id, campaign_state::paused, describe_interrupt(signal.signal));
    signal.so_far = "the step at work has no result; `freshet campaign resume` repeats it";
    throw;
  }
  line.clear();
  if (end == departure::done || end == departure::stopped || end == departure::aborted) take_unit_away(record.unit);
  return report_end(options, kept, record.id, end);
}

}  // namespace freshet::tool
