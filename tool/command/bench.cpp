#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/version.hpp>

#include "command/arguments.hpp"
#include "command/commands.hpp"
#include "grid.hpp"
#include "measure/clock.hpp"
#include "report/bench_report.hpp"
#include "report/json_output.hpp"
#include "report/progress.hpp"
#include "size.hpp"
#include "write_file.hpp"

namespace freshet::tool {
namespace {

struct bench_options {
  std::filesystem::path directory = ".";
  grid varied = {.common = {.size = std::uint64_t{1} << 30}};
  unsigned rounds = 3;
  trial_order order = trial_order::random;
  bool unordered = false;
  bool force = false;
  std::uint64_t seed = 1;
  std::uint64_t max_bytes = std::uint64_t{64} << 30;
  std::string json;
};

const std::map<std::string, memory_state> memory_names = {{"reused", memory_state::reused},
                                                          {"rested", memory_state::rested}};

/// All trials of a bench.
struct bench_result {
  std::vector<bench_row> rows;
  std::vector<trial> trials;  ///< in the order in which they were made
  std::uint64_t bytes_written = 0;
};

const std::map<std::string, trial_order> order_names = {
    {"cycle", trial_order::cycle}, {"sequential", trial_order::sequential}, {"random", trial_order::random}};
const std::map<std::string, target_kind> target_names = {{"new", target_kind::fresh},
                                                         {"overwrite", target_kind::overwrite}};

// Those that the user named, all of which must work here; without any, all that do. @throws freshet::error
std::vector<std::string> chosen_methods(const bench_options& options) {
  const auto here = methods(options.directory);
  std::vector<std::string> chosen = options.varied.methods;
  for (const method_info& method : here) {
    const bool named = std::find(chosen.begin(), chosen.end(), method.name) != chosen.end();
    if (named && !method.available())
      throw error{std::make_error_code(std::errc::operation_not_supported), "use " + method.name + " in",
                  options.directory, error::no_offset, method.why_not};
    const bool fits = method.available() && method.name != "null" && (method.keeps_order || options.unordered);
    if (options.varied.methods.empty() && fits) chosen.push_back(method.name);
  }
  return chosen;
}

std::vector<bench_row> make_rows(const bench_options& options) {
  grid varied = options.varied;
  varied.methods = chosen_methods(options);
  varied.common.ordered = !options.unordered;
  varied.common.seed = options.seed;
  std::vector<bench_row> rows;
  for (const trial_plan& plan : plans_of(varied)) rows.push_back({.plan = plan, .why_not = why_impossible(plan)});
  // Of methods that nobody named, those that only write are no news to whoever wants to read.
  if (options.varied.methods.empty()) std::erase_if(rows, [](const bench_row& row) { return !row.why_not.empty(); });
  return rows;
}

// Refuses, before anything is written, what does not fit the disk or the budget. @throws freshet::error
void check_budget(const bench_options& options, const std::vector<bench_row>& rows) {
  const std::uint64_t files = options.varied.common.size * options.varied.common.jobs;
  std::uint64_t written = 0;
  std::uint64_t read = 0;  // files that are written once
  for (const bench_row& row : rows) {
    if (!row.why_not.empty() || row.plan.method == "null") continue;
    if (reads(row.plan.what)) read = files;
    written += bytes_of_trial(row.plan) * options.rounds;
  }
  const std::uint64_t all = written + read;
  if (all > options.max_bytes)
    throw error{std::make_error_code(std::errc::file_too_large), "measure in", options.directory, error::no_offset,
                fmt::format("{} would be written, which is more than --max-bytes allows, {}", format_size(all),
                            format_size(options.max_bytes))};
  if (!options.force) require_space(options.directory, read + (written != 0 ? files : 0));
}

bench_result measure_all(const bench_options& options) {
  bench_result result;
  result.rows = make_rows(options);
  check_budget(options, result.rows);
  const auto appointments = schedule(result.rows.size(), options.rounds, options.order, options.seed);
  progress line;
  const stopwatch watch;
  double done = 0;
  for (const appointment& next : appointments) {
    bench_row& row = result.rows[next.plan];
    const double left = done == 0 ? -1 : watch.seconds() / done * (static_cast<double>(appointments.size()) - done);
    ++done;
    if (!row.why_not.empty()) continue;
    line.show(fmt::format("trial {} of {}: {}", done, appointments.size(), describe(row.plan)), left);
    try {
      trial made = run_trial(row.plan, options.directory);
      result.bytes_written += made.bytes_written;
      made.round = next.round;
      made.position = next.position;
      row.trials.push_back(made);
      result.trials.push_back(std::move(made));
    } catch (const error& failure) {
      result.bytes_written += bytes_of_trial(row.plan);  // at most
      row.why_not = failure.what();
    }
  }
  return result;
}

nlohmann::json in_json(const bench_options& options, const bench_result& result) {
  nlohmann::json left_out = nlohmann::json::array();
  for (const bench_row& row : result.rows)
    if (!row.why_not.empty()) left_out.push_back({{"plan", row.plan}, {"why_not", row.why_not}});
  return {{"freshet", std::string{version()}},
          {"environment", read_environment(options.directory)},
          {"trials", result.trials},
          {"not_measured", left_out},
          {"bytes_written", result.bytes_written}};
}

int run_bench(const bench_options& options) {
  const bench_result result = measure_all(options);
  if (words_on_stdout(options.json))
    fmt::print("{}\nwritten in all: {}\n", bench_report(result.rows), format_size(result.bytes_written));
  if (!options.json.empty()) write_json(in_json(options, result), options.json);
  if (!result.trials.empty()) return 0;
  throw error{std::make_error_code(std::errc::operation_not_supported), "measure in", options.directory,
              error::no_offset, result.rows.empty() ? "no method works there" : result.rows.front().why_not};
}

void add_axes(CLI::App& command, grid& varied) {
  add_parsed(command, "--method", varied.methods, parse_methods,
             "Methods and baselines, a,b,… (all that work and keep order)");
  add_parsed(command, "--block", varied.blocks, parse_blocks,
             "Bytes handed over at a time, 64K,1M,… (each method's own)");
  add_parsed(command, "--depth", varied.depths, parse_depths, "Blocks in memory, 1,2,… (each method's own)");
  add_parsed(command, "--class,--durability", varied.classes, parse_classes,
             "How durably to write: none,at_close,each_write; or what to read: cold,warm (none)");
  trial_plan& plan = varied.common;
  add_parsed(command, "--size", plan.size, parse_size, "Bytes of each file (1G)");
  add_parsed(command, "--workload", plan.workload, parse_workload, "text or blocks, which cannot be compressed (text)");
  command.add_option("--jobs", plan.jobs, "Files written or read at once, a thread each (1)")
      ->check(CLI::Range(1U, 256U));
  command.add_option("--target", plan.target, "new files, or overwrite old ones (new)")
      ->transform(CLI::CheckedTransformer(target_names));
  command
      .add_option("--memory", plan.memory,
                  "Memory that the page cache finds: rested, free for long, or reused, just freed (rested)")
      ->transform(CLI::CheckedTransformer(memory_names));
  command.add_flag("--reserve", plan.reserve, "Set the disk space aside first");
  command.add_flag("--size-ahead", plan.size_ahead, "Set the files' size first; needs --unordered");
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<bench_options>();
  CLI::App* command = app.add_subcommand("bench", "Measure a grid of ways to write or read files in a directory");
  command->add_option("DIR", options->directory, "The directory")->capture_default_str();
  add_axes(*command, options->varied);
  CLI::Option* unordered =
      command->add_flag("--unordered", options->unordered, "Let blocks reach the file in any order");
  command->get_option("--size-ahead")->needs(unordered);
  command->add_option("--rounds", options->rounds, "Trials of each plan (3)")->check(CLI::Range(1U, 10000U));
  command->add_option("--order", options->order, "cycle, sequential or random (random)")
      ->transform(CLI::CheckedTransformer(order_names));
  command->add_option("--seed", options->seed, "Of the random order and the blocks' bytes (1)");
  add_parsed(*command, "--max-bytes", options->max_bytes, parse_size, "Write no more than this in all (64G)");
  command->add_flag("--force", options->force, "Even if the files do not fit the free space");
  command->add_option("--json", options->json, "Write all trials to this file; - is standard output");
  command->callback([options, &exit_code] { exit_code = run_bench(*options); });
}

}  // namespace freshet::tool
