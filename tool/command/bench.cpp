#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/version.hpp>

#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/size.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/run_log.hpp"
#include "tool/report/bench_report.hpp"
#include "tool/report/progress.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/grid.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/write_file.hpp"

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
  std::uint64_t max_bytes = default_max_bytes;
  std::string json;
  log_options log;
};

// The methods that the user named, all of which must work here, or else all methods that do. @throws freshet::error
std::vector<std::string> chosen_methods(const bench_options& options) {
  std::vector<std::string> chosen = options.varied.methods;
  for (const method_info& method : list_methods(options.varied.methods, options.directory)) {
    const bool fits = method.available() && method.name != "null" && (method.keeps_order || options.unordered);
    if (options.varied.methods.empty() && fits) chosen.push_back(method.name);
  }
  return chosen;
}

std::vector<measured_plan> make_rows(const bench_options& options) {
  grid varied = options.varied;
  varied.methods = chosen_methods(options);
  varied.common.ordered = !options.unordered;
  varied.common.seed = options.seed;
  std::vector<measured_plan> rows;
  for (const trial_plan& plan : make_plans(varied)) rows.push_back({.plan = plan, .why_not = why_impossible(plan)});
  // Don't report write-only methods unless the user named them.
  if (options.varied.methods.empty())
    std::erase_if(rows, [](const measured_plan& row) { return !row.why_not.empty(); });
  return rows;
}

// Checks, before anything is written, that it fits the disk and the budget. @throws freshet::error  otherwise
void check_budget(const bench_options& options, const std::vector<measured_plan>& rows) {
  const std::uint64_t files = options.varied.common.size * options.varied.common.jobs;
  std::uint64_t written = 0;
  std::uint64_t read = 0;  // files that are written once
  for (const measured_plan& row : rows) {
    if (!row.why_not.empty() || row.plan.method == "null") continue;
    if (reads(row.plan.what)) read = files;
    written += compute_bytes_written(row.plan) * options.rounds;
  }
  const std::uint64_t all = written + read;
  require_budget(options.directory, all, options.max_bytes);
  if (!options.force) require_space(options.directory, read + (written != 0 ? files : 0));
}

// The fastest plan of the class so far.
std::optional<candidate> best_so_far(const std::vector<measured_plan>& rows, io_class what) {
  std::optional<candidate> best;
  for (const measured_plan& row : rows) {
    if (row.plan.what != what || row.plan.method == "null") continue;
    candidate current{.plan = row.plan, .trials = row.trials};
    if (count_usable(current) > 0 && (!best || seconds_per_gb(current) < seconds_per_gb(*best)))
      best = std::move(current);
  }
  return best;
}

series_result measure_all(const bench_options& options, std::vector<measured_plan>& rows, run_log& log) {
  const auto order = schedule(rows.size(), options.rounds, options.order, options.seed);
  progress line;
  const auto show = [&](const scheduled_trial& next, std::size_t number, double left) {
    if (!line.is_seen()) return;
    const trial_plan& plan = rows[next.plan].plan;
    const auto best = best_so_far(rows, plan.what);
    line.show(fmt::format("trial {} of {}, {}", number, order.size(), describe_progress(plan, best ? &*best : nullptr)),
              left);
  };
  file_runner runner{options.directory};
  return run_series(rows, order, runner,
                    {.before = show,
                     .keep = [&log](const trial_result& trial) { log.keep(make_record(trial)); },
                     .after = [](const scheduled_trial&) {}});
}

nlohmann::json in_json(std::span<const measured_plan> rows, const series_result& result, const environment& env) {
  nlohmann::json trials = nlohmann::json::array();
  for (const trial_result* trial : result.trials) trials.push_back(*trial);
  nlohmann::json left_out = nlohmann::json::array();
  for (const measured_plan& row : rows)
    if (!row.why_not.empty()) left_out.push_back({{"plan", row.plan}, {"why_not", row.why_not}});
  return {{"freshet", std::string{version()}}, {"environment", env},
          {"verdicts", bench_verdicts(rows)},  {"trials", trials},
          {"not_measured", left_out},          {"bytes_written", result.bytes_written}};
}

int run_bench(const bench_options& options) {
  std::vector<measured_plan> rows = make_rows(options);
  check_budget(options, rows);
  require_writable(options.json);
  run_log log{options.log, "bench", options.directory};
  const series_result result = measure_all(options, rows, log);
  if (words_on_stdout(options.json) && words_on_stdout(options.log))
    fmt::print("{}\nwritten in all: {}\n", format_bench(rows, standard_screen()), format_size(result.bytes_written));
  if (!options.json.empty()) write_json(in_json(rows, result, log.about().env), options.json);
  log.finish();
  if (!result.trials.empty()) return 0;
  throw error{std::make_error_code(std::errc::operation_not_supported), "measure in", options.directory,
              error::no_offset, rows.empty() ? "no method works there" : rows.front().why_not};
}

void add_axes(command_parser& command, grid& varied) {
  command.add("--method", varied.methods, parse_methods, "Methods and baselines, a,b,… (all that work and keep order)");
  command.add("--block", varied.blocks, parse_blocks, "Bytes handed over at a time, 64K,1M,… (each method's own)");
  command.add("--depth", varied.depths, parse_depths, "Blocks in memory, 1,2,… (each method's own)");
  command.add("--class,--durability", varied.classes, parse_classes,
              "How durably to write: none,at_close,each_write; or what to read: cold,warm", format_classes);
  trial_plan& plan = varied.common;
  command.add("--size", plan.size, parse_size, "Bytes of each file", format_size_argument);
  command.add("--workload", plan.workload, parse_workload, "text or blocks, which cannot be compressed");
  command.add("--jobs", plan.jobs, 1, 256, "Files written or read at once, with a thread each");
  add_target_option(command, plan.target);
  add_memory_option(command, plan.memory);
  command.add_flag("--reserve", plan.reserve, "Allocate the disk space first");
}

}  // namespace

void add_bench_command(program_parser& program) {
  const auto options = std::make_shared<bench_options>();
  command_parser command = program.add_command("bench", "Measure a grid of ways to write or read files in a directory");
  command.add("DIR", options->directory, "The directory");
  add_axes(command, options->varied);
  const command_option unordered =
      command.add_flag("--unordered", options->unordered, "Let blocks reach the file in any order");
  command.add_flag("--size-ahead", options->varied.common.size_ahead, "Set the files' size first; needs --unordered")
      .need(unordered);
  add_rounds_option(command, options->rounds, "plan");
  add_order_option(command, options->order);
  add_seed_option(command, options->seed, "the random order and of the blocks' bytes");
  add_max_bytes_option(command, options->max_bytes);
  add_force_option(command, options->force);
  add_json_option(command, options->json);
  add_log_options(command, options->log);
  command.set_action([options] { return run_bench(*options); });
}

}  // namespace freshet::tool
