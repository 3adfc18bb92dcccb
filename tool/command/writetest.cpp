#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/version.hpp>

#include "src/method/registry.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/size.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/run_log.hpp"
#include "tool/report/progress.hpp"
#include "tool/report/writetest_report.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/grid.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto writetest_footer =
    R"(First comes the cycle: all chosen methods in turn, N rounds. Then the sequential phase: N rounds of each method.
Each write prints a line; the averages of both phases follow. MB are 2^20 bytes in this command, as in the program
whose options it has. Time to disk ends when the disk has everything. Every file is new, unless --target overwrite lets
the sequential rounds overwrite existing files. Each write starts in the same state: the disk idle, nothing of an older
file in memory. The files are in a directory of their own in --output-dir, which is removed at the end.
The exit code is 1 if a write failed.
Example:
  freshet writetest --output-dir /data/test --i 3 --mb 500 --stdio --aio --genio --uring)";

/// A method or baseline that an option chooses.
struct write_way {
  std::string method;
  std::string options;
  std::string summary;
};

struct writetest_options {
  fs::path directory = ".test";
  unsigned rounds = 1;
  std::uint64_t size = std::uint64_t{500} << 20;
  std::set<std::string> methods;
  target_kind target = target_kind::fresh;
  memory_state memory = memory_state::unbacked;
  std::uint64_t seed = 1;
  std::uint64_t max_bytes = default_max_bytes;
  bool force = false;
  std::string json;
  log_options log;
};

// The methods of the original program first, in its order.
std::vector<write_way> make_ways() {
  std::vector<write_way> ways{{"stdio", "--stdio", "fopen, fwrite, fclose"},
                              {"aio", "--aio", "aio_write: POSIX aio"},
                              {"buffered", "--genio,--buffered", "open, write, close"}};
  const auto add = [&ways](std::string_view name, std::string_view summary) {
    if (std::ranges::find(ways, name, &write_way::method) == ways.end())
      ways.push_back({std::string{name}, fmt::format("--{}", name), std::string{summary}});
  };
  for (const detail::method_entry& method : detail::method_entries())
    if (method.needs_file) add(method.name, method.summary);
  for (const baseline& way : baselines())
    if (!way.text_only) add(way.name, way.summary);
  return ways;
}

const std::vector<write_way>& ways() {
  static const std::vector<write_way> all = make_ways();
  return all;
}

std::uint64_t parse_mb(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    reject(text, "a number of MB", "expected a whole number");
  return parse_file_size(std::string{text} + "M");
}

std::string format_mb(std::uint64_t bytes) { return std::to_string(bytes >> 20); }

/// Creates the directory if it does not exist, and then removes it at the end, unless others have put something into
/// it.
class output_directory_guard {
 public:
  explicit output_directory_guard(const fs::path& directory) : path_{fs::absolute(directory)} {
    std::error_code failure;
    created_ = fs::create_directory(path_, failure);
    if (failure == std::errc::file_exists) failure = std::make_error_code(std::errc::not_a_directory);
    if (failure) throw error{failure, "create the directory", directory};
  }
  output_directory_guard(const output_directory_guard&) = delete;
  output_directory_guard& operator=(const output_directory_guard&) = delete;
  ~output_directory_guard() {
    std::error_code not_empty;
    if (created_) fs::remove(path_, not_empty);
  }

 private:
  fs::path path_;
  bool created_ = false;
};

/// The trials of both phases. `rows` has those of the cycle, then those of the sequential phase; `order` is the order
/// in which they are made. Rounds are numbered through both phases.
struct write_schedule {
  std::vector<measured_plan> rows = {};
  std::vector<scheduled_trial> order = {};
  unsigned rounds = 1;

  [[nodiscard]] std::size_t methods() const { return rows.size() / 2; }
  [[nodiscard]] write_phase phase_of(const scheduled_trial& each) const {
    return each.plan < methods() ? write_phase::cycle : write_phase::sequential;
  }
  [[nodiscard]] std::span<const measured_plan> rows_of(write_phase phase) const {
    return std::span{rows}.subspan(phase == write_phase::cycle ? 0 : methods(), methods());
  }
  [[nodiscard]] std::string round_of(const scheduled_trial& each) const {
    return fmt::format("{}/{}", each.round % rounds + 1, rounds);
  }
};

trial_plan make_plan(const writetest_options& options, const std::string& name, target_kind target) {
  const detail::method_entry* method = detail::find_method(name);
  return normalize(trial_plan{.method = name,
                              .ordered = method == nullptr || method->keeps_order,
                              .workload = workload_kind::blocks,
                              .target = target,
                              .memory = options.memory,
                              .size = options.size,
                              .seed = options.seed});
}

// @throws freshet::error  if a method does not work in the directory
write_schedule make_schedule(const writetest_options& options) {
  std::vector<std::string> chosen;
  for (const write_way& way : ways())
    if (options.methods.empty() ? chosen.size() < 3 : options.methods.contains(way.method))
      chosen.push_back(way.method);
  static_cast<void>(list_methods(chosen, options.directory));
  write_schedule planned{.rounds = options.rounds};
  for (const target_kind target : {target_kind::fresh, options.target})
    for (const std::string& name : chosen) planned.rows.push_back({.plan = make_plan(options, name, target)});
  planned.order = schedule(chosen.size(), options.rounds, trial_order::cycle, options.seed);
  for (scheduled_trial next : schedule(chosen.size(), options.rounds, trial_order::sequential, options.seed)) {
    next.plan += chosen.size();
    next.round += options.rounds;
    planned.order.push_back(next);
  }
  return planned;
}

// Checks, before anything is written, that it fits the disk and the budget. @throws freshet::error  otherwise
void check_budget(const writetest_options& options, const write_schedule& planned) {
  std::uint64_t all = 0;
  for (const measured_plan& row : planned.rows) all += compute_bytes_written(row.plan) * options.rounds;
  require_budget(options.directory, all, options.max_bytes);
  if (!options.force) require_space(options.directory, options.size);
}

series_result measure_all(const writetest_options& options, write_schedule& planned, run_log& log, bool talks) {
  const screen look = standard_screen();
  const write_lines lines{planned.rows};
  progress line;
  if (talks) fmt::print("{}", lines.heading());
  const auto before = [&](const scheduled_trial& next, std::size_t number, double left) {
    std::fflush(stdout);
    line.show(fmt::format("write {} of {}, {}: {}", number, planned.order.size(), to_string(planned.phase_of(next)),
                          writetest_name(planned.rows[next.plan].plan)),
              left);
  };
  const auto after = [&](const scheduled_trial& done) {
    line.clear();
    if (talks)
      fmt::print("{}", lines.line(planned.phase_of(done), planned.rows[done.plan], planned.round_of(done), look));
  };
  file_runner runner{options.directory};
  const auto keep = [&log](const trial_result& trial) { log.keep(make_record(trial)); };
  return run_series(planned.rows, planned.order, runner, {.before = before, .keep = keep, .after = after});
}

void show_averages(const write_schedule& planned, std::uint64_t bytes_written) {
  for (const auto phase : {write_phase::cycle, write_phase::sequential})
    fmt::print("\n{}", format_writetest_averages(phase, planned.rows_of(phase), standard_screen()));
  fmt::print("\nMB are 2^20 bytes, GB 10^9; from-to: the slowest and the fastest round\nwritten in all: {}\n",
             format_size(bytes_written));
}

nlohmann::json in_json(const write_schedule& planned, const series_result& result, const environment& env) {
  nlohmann::json trials = nlohmann::json::array();
  for (const trial_result* trial : result.trials) {
    trials.push_back(*trial);
    trials.back()["phase"] = to_string(trial->round < planned.rounds ? write_phase::cycle : write_phase::sequential);
  }
  return {{"freshet", std::string{version()}},
          {"environment", env},
          {"rounds", planned.rounds},
          {"cycle", averages_in_json(planned.rows_of(write_phase::cycle))},
          {"sequential", averages_in_json(planned.rows_of(write_phase::sequential))},
          {"trials", trials},
          {"bytes_written", result.bytes_written}};
}

// Prints what failed on standard error, since standard output may be redirected; returns the exit code.
int report_failures(const write_schedule& planned) {
  int exit_code = 0;
  for (const auto phase : {write_phase::cycle, write_phase::sequential})
    for (const measured_plan& row : planned.rows_of(phase)) {
      if (row.why_not.empty()) continue;
      fmt::print(stderr, "freshet writetest: {}, {}: {}\n", to_string(phase), writetest_name(row.plan), row.why_not);
      exit_code = 1;
    }
  return exit_code;
}

int run_writetest(const writetest_options& options) {
  const output_directory_guard directory{options.directory};
  write_schedule planned = make_schedule(options);
  check_budget(options, planned);
  require_writable(options.json);
  run_log log{options.log, "writetest", options.directory};
  const bool talks = words_on_stdout(options.json) && words_on_stdout(options.log);
  const series_result result = measure_all(options, planned, log, talks);
  if (talks) show_averages(planned, result.bytes_written);
  if (!options.json.empty()) write_json(in_json(planned, result, log.about().env), options.json);
  log.finish();
  return report_failures(planned);
}

void add_methods(command_parser& command, writetest_options& options) {
  for (const write_way& way : ways())
    command
        .add_flag(
            way.options, [&options, &way] { options.methods.insert(way.method); }, way.summary)
        .group("Methods (--stdio --aio --genio where none is given)");
}

}  // namespace

void add_writetest_command(program_parser& program) {
  const auto options = std::make_shared<writetest_options>();
  command_parser command =
      program.add_command("writetest", "Write files by several methods in turn, then method by method");
  command.set_version("freshet writetest " + std::string{version()});
  command.add("--output-dir", options->directory, "The directory to write in; created if it does not exist");
  command.add("--i", options->rounds, 1, 10'000, "Iterations: rounds of each phase");
  const command_option mb =
      command.add("--mb", options->size, parse_mb, "Size of a file in MB of 2^20 bytes", format_mb);
  command.add("--b", options->size, parse_file_size, "The same in bytes").exclude(mb);
  add_methods(command, *options);
  add_target_option(command, options->target, "What the sequential rounds write: new files, or overwrite old ones");
  add_memory_option(command, options->memory);
  add_seed_option(command, options->seed, "the bytes that are written");
  add_max_bytes_option(command, options->max_bytes);
  add_force_option(command, options->force);
  add_json_option(command, options->json);
  add_log_options(command, options->log);
  command.set_footer(writetest_footer);
  command.set_action([options] { return run_writetest(*options); });
}

}  // namespace freshet::tool
