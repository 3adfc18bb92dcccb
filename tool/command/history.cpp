#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <freshet/version.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/export_option.hpp"
#include "tool/command/stored_runs.hpp"
#include "tool/report/history_report.hpp"
#include "tool/search/matching.hpp"
#include "tool/store/store.hpp"

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
  std::string json;
  wanted_exports exports;
};

// Shows one run with a ranking of its trials.
int show_run(const history_options& options, const store& kept, const run& one) {
  run_summary summary{.about = one};
  report_groups groups{{one}};
  nlohmann::json trials = nlohmann::json::array();
  std::vector<record> exported;
  kept.each({.runs = {one.id}, .command = {}, .since = {}, .before = {}}, [&](record&& trial) {
    throw_if_interrupted();
    summary.add(trial);
    if (!options.json.empty()) trials.push_back(trial.figures);
    if (!options.exports.empty()) exported.push_back(trial);
    if (!is_warm_up(trial)) groups.add(std::move(trial), 0);
  });
  if (words_on_stdout(options.json) && words_on_stdout(options.exports))
    fmt::print("{}", format_run(summary, groups, standard_screen()));
  nlohmann::json all = in_json(summary);
  all["all_trials"] = std::move(trials);
  write_json({{"freshet", std::string{version()}}, {"runs", {all}}}, options.json);
  write_exports(options.exports, one, exported);
  return 0;
}

int list_runs(const history_options& options, const store& kept, const std::vector<run>& runs) {
  std::vector<run_summary> summaries;
  std::unordered_map<std::int64_t, std::size_t> places;
  for (const run& each : runs) {
    places.emplace(each.id, summaries.size());
    summaries.push_back({.about = each});
  }
  kept.each({.runs = {}, .command = options.wanted.command, .since = options.wanted.since, .before = {}},
            [&](record&& trial) {
              throw_if_interrupted();
              if (const auto place = places.find(trial.run); place != places.end()) summaries[place->second].add(trial);
            });
  if (words_on_stdout(options.json)) fmt::print("{}", format_history(summaries, standard_screen()));
  nlohmann::json all = nlohmann::json::array();
  for (const run_summary& one : summaries) all.push_back(in_json(one));
  write_json({{"freshet", std::string{version()}}, {"runs", all}}, options.json);
  return 0;
}

int run_history(const history_options& options) {
  const std::filesystem::path path = existing_store(options.wanted.store);
  const store kept{path};
  const std::vector<run> runs = select_runs(kept, options.wanted);
  if (runs.empty()) throw std::runtime_error{fmt::format("{}: no stored run matches the options", path.string())};
  if (options.run.empty()) return list_runs(options, kept, runs);
  return show_run(options, kept, find_run(runs, options.run));
}

}  // namespace

void add_history_command(program_parser& program) {
  const auto options = std::make_shared<history_options>();
  command_parser command = program.add_command("history", "Show what was measured, when, and on what");
  add_stored_options(command, options->wanted);
  const command_option run =
      command.add("--run", options->run, parse_run_name, "Show the rankings of this run: 12, last, last~1");
  add_export_option(command, options->exports).need(run);
  add_json_option(command, options->json, "the same");
  command.set_footer(history_footer);
  command.set_action([options] { return run_history(*options); });
}

}  // namespace freshet::tool
