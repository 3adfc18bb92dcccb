#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/command/stored_runs.hpp"
#include "tool/report/history_report.hpp"
#include "tool/store/store_set.hpp"

namespace freshet::tool {
namespace {

constexpr auto history_footer =
    R"(Examples:
  freshet history                           all stored runs, the last one at the end
  freshet history --directory /data --since 2026-03-01
  freshet history --run last                the rankings of the last run)";

struct history_options {
  stored_options wanted;
  std::string run;  // empty: all, as a list
  result_files results;
};

// Shows one run with a ranking of its trials.
void show_run(const history_options& options, const store_set& kept, const run& one) {
  run_summary summary{one, kept.sizes()};
  nlohmann::json trials = nlohmann::json::array();
  std::vector<record> exported;
  kept.each({.runs = {one.id}}, [&](record&& trial) {
    throw_if_interrupted();
    if (!options.results.json.empty()) trials.push_back(trial.figures);
    if (!options.results.exports.empty()) exported.push_back(trial);
    summary.add(std::move(trial));
  });
  draw_runs({&summary, 1}, ask_laboratory);
  nlohmann::json all = summary;
  all["all_trials"] = std::move(trials);
  options.results.publish(format_run(summary, standard_screen()), {{"runs", {all}}});
  options.results.write_exports(one, exported);
}

void list_runs(const history_options& options, const store_set& kept, const std::vector<run>& runs) {
  std::vector<run_summary> summaries;
  std::unordered_map<std::int64_t, std::size_t> places;
  const task_sizes sizes = kept.sizes();
  for (const run& each : runs) {
    places.emplace(each.id, summaries.size());
    summaries.emplace_back(each, sizes);
  }
  kept.each({.command = options.wanted.command, .since = options.wanted.since}, [&](record&& trial) {
    throw_if_interrupted();
    if (const auto place = places.find(trial.run); place != places.end())
      summaries[place->second].add(std::move(trial));
  });
  nlohmann::json all = nlohmann::json::array();
  if (!options.results.json.empty()) {
    draw_runs(summaries, ask_laboratory);
    all = summaries;
  }
  options.results.publish(format_history(summaries, standard_screen()), {{"runs", all}});
}

int run_history(const history_options& options) {
  const store_set kept{existing_stores(options.wanted)};
  const std::vector<run> runs = select_runs(kept, options.wanted, options.run);
  if (runs.empty())
    throw std::runtime_error{fmt::format("{}: no stored run matches the options", name_stores(options.wanted))};
  if (options.run.empty())
    list_runs(options, kept, runs);
  else
    show_run(options, kept, find_run(runs, options.run));
  return 0;
}

}  // namespace

void add_history_command(program_parser& program) {
  auto [command, options] =
      program.add_command("history", "Show what was measured, when, and on what", run_history, history_footer);
  add_stored_options(command, options.wanted);
  const command_option run = add_run_option(command, options.run, "Show the rankings of this run: 12, last, last~1");
  add_export_option(command, options.results).need(run);
  add_json_option(command, options.results, "the same");
}

}  // namespace freshet::tool
