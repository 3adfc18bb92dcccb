#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <freshet/version.hpp>

#include "tool/base/json_output.hpp"
#include "tool/base/size.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/encryption_arguments.hpp"
#include "tool/command/run_log.hpp"
#include "tool/encrypt/manifest.hpp"
#include "tool/measure/host.hpp"
#include "tool/ranks/run_on_all.hpp"
#include "tool/report/progress.hpp"
#include "tool/report/sweep_report.hpp"
#include "tool/sweep/findings.hpp"
#include "tool/sweep/sweep.hpp"

namespace freshet::tool {
namespace {

constexpr auto sweep_footer = R"(The corpora, in full size:
  small-files  10,000 files of 100 lines of 100 characters
  short-lines  100 files of 500,000 lines of 20 characters
  long-lines   100 files of 100 lines of 100,000 characters
  large-files  20 files of 100,000 lines of 1000 characters

All trials start in the same state: nothing is left to be written, free memory is at rest, as on an idle machine, and
the page cache holds all of the input, or none of it with --cold. The time of a trial ends when all files are closed;
its CPU time ends when the disk has them. The outputs of all strategies are compared. A trial that was not warm, not
cold, or whose output is wrong is invalid and part of no figure. If a strategy fails, its cell says so, the other
strategies go on, and the exit code is 1.

Unless --scale or --full is given, the first round runs at a scale of 0.02. If the --time allows for notably more files,
that round is dropped and the sweep starts again, at the scale at which three rounds take the time that is left. Unless
--rounds is given, rounds go on until the time is over.

Examples:
  freshet sweep /data                          small corpora, 2 minutes
  freshet sweep /data --cold --time 10m
  freshet sweep /data --corpora small-files,large-files --strategies streaming,pipelined --work 0,50 --rounds 10
  freshet sweep /data --full --json table.json all strategies, 1 to 4 threads, work 0,100,200,1000: hours
  mpirun -n 4 freshet-mpi sweep /shared --threads 1)";

struct sweep_options {
  std::filesystem::path directory = ".";
  std::vector<contender> contenders;
  std::vector<unsigned> threads;
  std::vector<unsigned> work;
  std::vector<corpus_shape> corpora;
  cipher_kind cipher = cipher_kind::xor_bytes;
  stream_kind streams = stream_kind::std;
  std::optional<double> scale;
  std::optional<unsigned> rounds;
  double seconds = 120;
  bool full = false;
  bool cold = false;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> max_bytes;
  bool force = false;
  std::string json;
  log_options log;
};

template <typename Value, Value (*parse)(std::string_view)>
std::vector<Value> parse_list(std::string_view text) {
  return parse_each(text, parse);
}

std::optional<std::uint64_t> parse_budget(std::string_view text) { return parse_size(text); }

// The given values without repetitions, in their order; the usual values if none is given.
template <typename Value>
std::vector<Value> chosen(const std::vector<Value>& given, std::vector<Value> usual) {
  if (given.empty()) return chosen(usual, {});
  std::vector<Value> once;
  for (const Value& each : given)
    if (std::ranges::find(once, each) == once.end()) once.push_back(each);
  return once;
}

sweep_order make_order(const sweep_options& options) {
  const std::vector<contender> all{sweep_contenders().begin(), sweep_contenders().end()};
  sweep_order order;
  order.directory = options.directory;
  sweep_plan& plan = order.plan;
  plan.corpora = chosen(options.corpora, plan.corpora);
  plan.contenders = chosen(options.contenders, options.full ? all : plan.contenders);
  plan.threads =
      chosen(options.threads, options.full ? std::vector{1U, 2U, 3U, 4U} : std::vector{1U, processor_count()});
  plan.work = chosen(options.work, options.full ? std::vector{0U, 100U, 200U, 1000U} : plan.work);
  plan.cipher = options.cipher;
  plan.streams = options.streams;
  plan.cold = options.cold;
  plan.scale = options.scale.value_or(1);
  plan.rounds = options.full ? options.rounds.value_or(least_rounds) : options.rounds;
  plan.seconds = options.seconds;
  plan.seed = options.seed;
  order.fits_scale = !options.scale && !options.full;
  order.max_bytes =
      options.max_bytes.value_or(options.full ? std::numeric_limits<std::uint64_t>::max() : default_max_bytes);
  order.force = options.force;
  return order;
}

std::string format_extent(const sweep_plan& plan, unsigned rounds) {
  return fmt::format("{} trials, {} to be written", rounds * list_cells(plan).size(),
                     format_size(bytes_written_by(plan, rounds)));
}

// Warns of a sweep that takes much longer than the --time. Who gives both --scale and --rounds has chosen that.
void print_estimate(const sweep_options& options, const sweep_plan& plan, unsigned rounds, double seconds) {
  constexpr double much_longer = 1.5;
  const bool is_expected = seconds < much_longer * options.seconds || (options.scale && options.rounds);
  if (is_expected && !options.full) return;
  fmt::print(stderr, "freshet sweep: {}, about {} in all\n", format_extent(plan, rounds), format_duration(seconds));
}

// Why the sweep ends with exit code 1; empty if it does not.
std::string describe_problem(const sweep_result& result) {
  if (std::ranges::none_of(result.trials, is_valid))
    return fmt::format("no valid trial: {}", result.trials.front().figures.reasons.front());
  const auto failed = std::ranges::find_if(result.trials, has_failed);
  if (failed == result.trials.end()) return {};
  return fmt::format("{} of {} trials failed; {}, {}: {}", std::ranges::count_if(result.trials, has_failed),
                     result.trials.size(), result.plan.corpora[failed->cell.corpus].name, describe(failed->cell),
                     failed->failure);
}

// `log` is the root's. It starts with the first trial.
sweep_result run_and_record(const sweep_options& options, ranks& all, std::optional<run_log>& log) {
  progress line;
  sweep_listener listener;
  listener.progress = [&](const std::string& state, double left) { line.show(state, left); };
  listener.start = [&](const sweep_plan& plan, unsigned rounds) {
    line.clear();
    if (options.full) fmt::print(stderr, "freshet sweep: {}\n", format_extent(plan, rounds));
    log.emplace(options.log, "sweep", options.directory);
  };
  listener.estimate = [&](const sweep_plan& plan, unsigned rounds, double seconds) {
    line.clear();
    print_estimate(options, plan, rounds, seconds);
  };
  listener.record = [&](const sweep_plan& plan, const sweep_trial& trial) { log->keep(make_record(plan, trial)); };
  return run_sweep(make_order(options), all, listener);
}

int run_sweep_command(const sweep_options& options) {
  ranks& all = all_ranks();
  run_on_root(all, [&] {
    require_writable(options.json);
    require_writable(options.log);  // now, because the log starts long after this
  });
  std::optional<run_log> log;
  const sweep_result result = run_and_record(options, all, log);
  if (!all.is_root()) return 0;
  if (words_on_stdout(options.json) && words_on_stdout(options.log))
    fmt::print("{}\nwritten in all: {}\n", format_sweep(result), format_size(result.bytes_written));
  if (!options.json.empty()) {
    nlohmann::json out = in_json(result);
    out["freshet"] = std::string{version()};
    out["environment"] = log->about().env;
    write_json(out, options.json);
  }
  log->finish();
  const std::string problem = describe_problem(result);
  if (problem.empty()) return 0;
  fmt::print(stderr, "freshet sweep: {}: {}\n", options.directory.string(), problem);
  return 1;
}

// @throws std::invalid_argument
std::optional<double> parse_scale(std::string_view text) {
  double scale = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (fault == std::errc{} && end == text.data() + text.size() && scale > 0 && scale <= 1) return scale;
  reject(text, "a scale", "expected more than 0, and at most 1");
}

// As the options read them: "streaming,auto".
std::string format_strategies(std::span<const contender> strategies) {
  std::vector<std::string> names;
  for (const contender& each : strategies) names.push_back(name_of(each));
  return fmt::format("{}", fmt::join(names, ","));
}

void add_axes(command_parser& command, sweep_options& options) {
  const sweep_plan defaults;
  command.add("--strategies", options.contenders, parse_list<contender, parse_strategy>,
              fmt::format("{} ({})", format_strategies(sweep_contenders()), format_strategies(defaults.contenders)));
  command.add("--threads", options.threads, parse_list<unsigned, parse_threads>,
              "Threads, 1,2,… (1 and as many as there are processors)");
  command.add("--work", options.work, parse_list<unsigned, parse_work>,
              fmt::format("How many times each line is encrypted, 0,50,… ({})", fmt::join(defaults.work, ",")));
  command.add("--corpora", options.corpora, parse_list<corpus_shape, parse_corpus>,
              "small-files,short-lines,long-lines,large-files (all)");
  command.add("--cipher", options.cipher, parse_cipher, "xor, or aes for AES-256-CTR",
              [](cipher_kind each) { return name_of(each); });
  command.add("--streams", options.streams, parse_streams,
              "The streams that streaming and buffering use: std or freshet");
}

void add_extent(command_parser& command, sweep_options& options) {
  command.add("--scale", options.scale, parse_scale,
              "Share of the full number of files of the corpora, 0 to 1 (as much as the time allows)");
  command.add("--rounds", options.rounds, 1, 1000, "Trials of each cell (at least 3, and as many as the time allows)");
  const command_option time = command.add("--time", options.seconds, parse_seconds,
                                          "Take about this long, such as 90s or 2m", format_seconds_argument);
  command
      .add_flag("--full", options.full,
                "All strategies, 1 to 4 threads, work 0,100,200,1000, full corpora, 3 rounds; takes hours")
      .exclude(time);
}

}  // namespace

void add_sweep_command(program_parser& program) {
  const auto options = std::make_shared<sweep_options>();
  command_parser command =
      program.add_command("sweep", "Measure the strategies of encrypt, by threads and work, as tables");
  command.add("DIR", options->directory, "The directory to measure in");
  add_axes(command, *options);
  add_extent(command, *options);
  command.add_flag("--cold", options->cold, "Drop the input from the page cache before each trial, and prove it");
  add_seed_option(command, options->seed, "the corpora and of the random order");
  command.add("--max-bytes", options->max_bytes, parse_budget,
              fmt::format("Write no more than this in all ({}; with --full no limit)",
                          format_size_argument(default_max_bytes)));
  add_force_option(command, options->force);
  add_json_option(command, options->json);
  add_log_options(command, options->log);
  command.set_footer(sweep_footer);
  command.set_action([options] { return run_sweep_command(*options); });
}

}  // namespace freshet::tool
