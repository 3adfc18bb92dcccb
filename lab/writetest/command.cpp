#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/version.hpp>

#include "lab/writetest/report.hpp"
#include "src/method/registry.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/baseline/baseline.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/file_runner.hpp"
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
  freshet writetest --output-dir /data/test --i 3 --mb 500 --stdio --aio --genio --uring
  freshet writetest --output-dir /data/test --i 3 --mb 500 --block whole     one fwrite, aio_write, write of 500 MB)";

struct writetest_options {
  fs::path directory = ".test";
  /// The target is what the sequential phase writes to.
  trial_plan plan = {.workload = workload_kind::blocks, .size = std::uint64_t{500} << 20};
  std::optional<std::uint64_t> block;  // bytes per call; as large as the file: one call for all of it
  std::set<std::string> methods;
  series_options series = {.rounds = 1};
  log_options log;
};

/// A method or baseline, and the options that choose it.
struct write_way {
  std::string method;
  std::string options;
  std::string summary;
};

constexpr std::size_t original_ways = 3;

// The methods of the original program first, in its order.
std::vector<write_way> list_write_ways() {
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

constexpr std::uint64_t whole = std::numeric_limits<std::uint64_t>::max();

// The most that Linux takes in one call (write(2)).
constexpr std::uint64_t most_at_once = 0x7ffff000;

std::uint64_t parse_call(std::string_view text) { return text == "whole" ? whole : parse_file_size(text); }

// The original programs, which make a call for each piece that they have: the library's methods choose blocks of their
// own. @throws usage_error  for others
std::string name_caller(const std::string& method) {
  if (method == "buffered" || method == "write") return "write";
  if (method == "aio" || method == "aio-write") return "aio-write";
  if (method == "stdio" || method == "stdio-unlocked") return method;
  throw usage_error{"--block",
                    fmt::format("{} has blocks of its own; stdio, aio and genio make a call for each piece", method)};
}

std::uint64_t parse_mb(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    reject(text, "a number of MB", "expected a whole number");
  return parse_file_size(std::string{text} + "M");
}

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

// The rows of the cycle, then those of the sequential phase. @throws freshet::error  if a method does not work there
std::vector<candidate> make_rows(writetest_options options) {
  std::vector<std::string> chosen;
  for (const write_way& way : list_write_ways())
    if (options.methods.empty() ? chosen.size() < original_ways : options.methods.contains(way.method))
      if (const std::string name = options.block ? name_caller(way.method) : way.method;
          std::ranges::find(chosen, name) == chosen.end())
        chosen.push_back(name);
  if (options.block) options.plan.block = std::min(*options.block, options.plan.size);
  if (options.plan.block > most_at_once)
    throw usage_error{"--block", fmt::format("no call writes more than {} bytes", most_at_once)};
  static_cast<void>(list_methods(chosen, options.directory));
  std::vector<candidate> rows;
  for (const target_kind target : {target_kind::fresh, options.plan.target})
    for (const std::string& name : chosen) {
      const detail::method_entry* const method = detail::find_method(name);
      trial_plan plan = options.plan;
      plan.method = name;
      plan.ordered = method == nullptr || method->keeps_order;
      plan.target = target;
      plan.seed = options.series.seed;
      rows.push_back({.plan = normalize(plan)});
    }
  return rows;
}

// The trials of both phases. Rounds are numbered through both.
std::vector<scheduled_trial> make_order(std::size_t methods, const series_options& series) {
  std::vector<scheduled_trial> order = schedule(methods, series.rounds, trial_order::cycle, series.seed);
  for (const scheduled_trial& next : schedule(methods, series.rounds, trial_order::sequential, series.seed))
    order.push_back({.plan = next.plan + methods, .round = next.round + series.rounds, .position = next.position});
  return order;
}

write_phase phase_of(unsigned round, const series_options& series) {
  return round < series.rounds ? write_phase::cycle : write_phase::sequential;
}

std::span<const candidate> rows_of(write_phase phase, const std::vector<candidate>& rows) {
  const std::size_t methods = rows.size() / 2;
  return std::span{rows}.subspan(phase == write_phase::cycle ? 0 : methods, methods);
}

series_result measure_all(const writetest_options& options, std::vector<candidate>& rows, run_log& log) {
  const std::vector<scheduled_trial> order = make_order(rows.size() / 2, options.series);
  progress line;
  options.log.print("{}", format_write_heading());
  const auto show = [&](const scheduled_trial& next, std::size_t number, double left) {
    std::fflush(stdout);
    line.show(fmt::format("write {} of {}, {}: {}", number, order.size(),
                          to_string(phase_of(next.round, options.series)), writetest_name(rows[next.plan].plan)),
              left);
  };
  const auto report = [&](const scheduled_trial& done) {
    line.clear();
    const unsigned rounds = options.series.rounds;
    options.log.print("{}", format_write(phase_of(done.round, options.series), rows[done.plan],
                                         fmt::format("{}/{}", done.round % rounds + 1, rounds), standard_screen()));
  };
  file_runner runner{options.directory};
  const auto keep = [&log](const trial_result& trial) { log.keep(make_record(trial)); };
  const auto run = [&runner](const trial_plan& plan) { return runner.run(plan); };
  return run_series(rows, order, {.run = run, .before = show, .keep = keep, .after = report});
}

nlohmann::json make_json(const series_options& series, const std::vector<candidate>& rows,
                         const series_result& result) {
  nlohmann::json trials = make_json_array(result.trials);
  for (nlohmann::json& trial : trials) trial["phase"] = to_string(phase_of(trial["round"].get<unsigned>(), series));
  return {{"rounds", series.rounds},
          {"cycle", writetest_averages(rows_of(write_phase::cycle, rows))},
          {"sequential", writetest_averages(rows_of(write_phase::sequential, rows))},
          {"trials", std::move(trials)},
          {"bytes_written", result.bytes_written}};
}

// Prints what failed on standard error, since standard output may be redirected; returns the exit code.
int report_failures(const std::vector<candidate>& rows) {
  int exit_code = 0;
  for (const auto phase : {write_phase::cycle, write_phase::sequential})
    for (const candidate& row : rows_of(phase, rows)) {
      if (row.dropped.empty()) continue;
      fmt::print(stderr, "freshet writetest: {}, {}: {}\n", to_string(phase), writetest_name(row.plan), row.dropped);
      exit_code = 1;
    }
  return exit_code;
}

int run_writetest(const writetest_options& options) {
  const output_directory_guard directory{options.directory};
  std::vector<candidate> rows = make_rows(options);
  options.series.check(options.directory, rows);
  run_log log{options.log, "writetest", options.directory};
  const series_result result = measure_all(options, rows, log);
  std::string text;
  for (const auto phase : {write_phase::cycle, write_phase::sequential})
    text += "\n" + format_writetest_averages(phase, rows_of(phase, rows), standard_screen());
  text += fmt::format("\nMB are 2^20 bytes, GB 10^9; from-to: the slowest and the fastest round\nwritten in all: {}\n",
                      format_size(result.bytes_written));
  const int exit_code = log.publish(text, make_json(options.series, rows, result));
  return std::max(exit_code, report_failures(rows));
}

}  // namespace

void add_writetest_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "writetest", run_writetest, writetest_footer);
  command.set_version("freshet writetest " + std::string{version()});
  command.add("--output-dir DIR", options.directory, "The directory to write in; created if it does not exist");
  command.add("--i", options.series.rounds, 1, 10'000, "Iterations: rounds of each phase");
  const command_option mb = command.add("--mb MB", options.plan.size, parse_mb, "Size of a file in MB of 2^20 bytes",
                                        [](std::uint64_t bytes) { return std::to_string(bytes >> 20); });
  command.add("--b SIZE", options.plan.size, parse_file_size, "The same in bytes").exclude(mb);
  command.add("--block SIZE", options.block, parse_call,
              "Bytes that --stdio, --aio and --genio hand over in one call, or whole: the file in one (256K)");
  for (const write_way& way : list_write_ways())
    command
        .add_flag(
            way.options, [&methods = options.methods, name = way.method] { methods.insert(name); }, way.summary)
        .group("Methods (--stdio --aio --genio where none is given)");
  add_target_option(command, options.plan.target, "What the sequential rounds write: new files, or overwrite old ones");
  add_memory_option(command, options.plan.memory);
  add_seed_option(command, options.series.seed, "the bytes that are written");
  add_max_bytes_option(command, options.series.max_bytes);
  add_force_option(command, options.series.force);
  add_log_options(command, options.log);
  command.explain_exit(1, "it failed, or one of the writes did");
}

}  // namespace freshet::tool
