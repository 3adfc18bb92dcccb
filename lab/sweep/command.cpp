#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/encrypt/manifest.hpp"
#include "lab/encrypt/work_arguments.hpp"
#include "lab/ranks/run_on_all.hpp"
#include "lab/sweep/drawing.hpp"
#include "lab/sweep/findings.hpp"
#include "lab/sweep/report.hpp"
#include "lab/sweep/sweep.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/file_options.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/measure/environment.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr auto sweep_footer = R"(The corpora, in full size:
  small-files  10,000 files of 100 lines of 100 characters
  short-lines  100 files of 500,000 lines of 20 characters
  long-lines   100 files of 100 lines of 100,000 characters
  large-files  20 files of 100,000 lines of 1000 characters
  mixed        1000 files of different sizes, 1000 lines of 100 characters in the mean

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
  freshet sweep /data --buffer 4K,8K,64K --streams std     what the buffers of the streams are worth
  freshet sweep --input letters --output /disk2/out   files of your own, from one disk to another
  freshet sweep /data --full --json table.json all strategies, 1 to 4 threads, work 0,100,200,1000: hours
  mpirun -n 4 freshet sweep /shared --threads 1)";

struct sweep_options {
  sweep_order order = {.directory = ".", .plan = {}};  // but for what follows
  std::vector<wanted_strategy> strategies;
  std::vector<unsigned> threads;
  std::vector<unsigned> work;
  std::vector<std::size_t> buffers;
  std::vector<corpus_shape> corpora;
  std::optional<double> scale;
  std::optional<unsigned> rounds;
  bool full = false;
  std::optional<std::uint64_t> max_bytes;
  log_options log;
};

// The given values without repetitions, in their order; the usual values if none is given.
template <typename Value>
std::vector<Value> chosen(const std::vector<Value>& given, std::vector<Value> usual) {
  if (given.empty()) return chosen(usual, {});
  std::vector<Value> once;
  for (const Value& each : given)
    if (std::ranges::find(once, each) == once.end()) once.push_back(each);
  return once;
}

// @throws usage_error  if --access was named and is not for all of the strategies
void require_one_access(const sweep_plan& plan) {
  if (!plan.access) return;
  for (const wanted_strategy& how : plan.strategies)
    if (how == strategy::async || !how)
      throw usage_error{"--access", fmt::format("the strategy {} reads and writes in its own way", name_of(how))};
}

sweep_order make_order(const sweep_options& options) {
  const std::vector<wanted_strategy> all{wanted_strategies().begin(), wanted_strategies().end()};
  sweep_order order = options.order;
  sweep_plan& plan = order.plan;
  plan.corpora = chosen(options.corpora, plan.corpora);
  plan.strategies = chosen(options.strategies, options.full ? all : plan.strategies);
  plan.threads =
      chosen(options.threads, options.full ? std::vector{1U, 2U, 3U, 4U} : std::vector{1U, processor_count()});
  plan.work = chosen(options.work, options.full ? std::vector{0U, 100U, 200U, 1000U} : plan.work);
  plan.buffers = chosen(options.buffers, plan.buffers);
  plan.scale = options.scale.value_or(1);
  plan.rounds = options.full ? options.rounds.value_or(least_rounds) : options.rounds;
  require_one_access(plan);
  order.fits_scale = !options.scale && !options.full && order.input.empty();
  order.max_bytes =
      options.max_bytes.value_or(options.full ? std::numeric_limits<std::uint64_t>::max() : default_max_bytes);
  return order;
}

std::string format_extent(const sweep_plan& plan, unsigned rounds) {
  return fmt::format("{} trials, {} to be written", rounds * list_cells(plan).size(),
                     format_size(bytes_written_by(plan, rounds)));
}

// Warns of a sweep that takes much longer than the --time. Who gives both --scale and --rounds has chosen that.
void print_estimate(const sweep_options& options, const sweep_plan& plan, unsigned rounds, double seconds) {
  constexpr double much_longer = 1.5;
  const bool is_expected = seconds < much_longer * options.order.plan.seconds || (options.scale && options.rounds);
  if (is_expected && !options.full) return;
  fmt::print(stderr, "freshet sweep: {}, about {} in all\n", format_extent(plan, rounds), format_duration(seconds));
}

// Why the sweep ends with exit code 1; empty if it does not.
std::string describe_problem(const sweep_result& result) {
  const auto may_count = [](const sweep_trial& each) { return find_exclusion_reasons(each).empty(); };
  if (std::ranges::none_of(result.trials, may_count))
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
    log.emplace(options.log, "sweep", place_of_outputs(options.order));
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
  run_on_root(all, [&] { options.log.require_writable(); });  // now, because the log starts long after this
  std::optional<run_log> log;
  const sweep_result result = run_and_record(options, all, log);
  if (!all.is_root()) return 0;
  if (result.missing != 0)
    fmt::print(stderr,
               "freshet sweep: the time was over: {} of round {} are missing; --scale makes the files smaller\n",
               format_count(result.missing, "trial"), result.rounds + 1);
  const int exit_code =
      log->publish(fmt::format("{}\nwritten in all: {}\n", format_sweep(result), format_size(result.bytes_written)),
                   make_json(result));
  const std::string problem = describe_problem(result);
  if (problem.empty()) return exit_code;
  fmt::print(stderr, "freshet sweep: {}: {}\n", printable(place_of_outputs(options.order).string()), problem);
  return 1;
}

// @throws std::invalid_argument
double parse_scale(std::string_view text) {
  if (const auto scale = read_number<double>(text); scale > 0 && scale <= 1) return *scale;
  reject(text, "a scale", "expected more than 0, and at most 1");
}

unsigned parse_rounds(std::string_view text) { return parse_number<unsigned>(text, 1, 1000, "a number of rounds"); }

// As the options read them: "streaming,auto".
std::string format_strategies(std::span<const wanted_strategy> strategies) {
  std::vector<std::string> names;
  for (const wanted_strategy& each : strategies) names.push_back(name_of(each));
  return fmt::format("{}", fmt::join(names, ","));
}

void add_axes(command_parser& command, sweep_options& options) {
  const sweep_plan defaults;
  command.add("--strategies", options.strategies, strategies(),
              fmt::format("{} ({})", format_strategies(wanted_strategies()), format_strategies(defaults.strategies)));
  command.add("--threads THREADS,...", options.threads, parse_list<parse_threads>,
              "Threads, 1,2,… (1 and as many as there are processors)");
  command.add("--work PASSES,...", options.work, parse_list<parse_work>,
              fmt::format("How many times each line is encrypted, 0,50,… ({})", fmt::join(defaults.work, ",")));
  command.add("--cipher", options.order.plan.cipher, ciphers(), "xor, or aes for AES-256-CTR");
  add_streams_option(command, options.order.plan.streams);
  command.add("--buffer SIZE,...", options.buffers, parse_list<parse_block>,
              "Bytes of each file's buffer, 4K,64K,… (as it comes); async has none to choose");
  add_access_option(command, options.order.plan.access);
}

void add_places(command_parser& command, sweep_options& options) {
  command.add("DIR", options.order.directory, "The directory to measure in");
  const command_option input =
      command.add("--input IN", options.order.input, "Encrypt the files of this directory, which is only read");
  command.add("--output OUT", options.order.output,
              "Write the outputs to this directory, which must be empty; perhaps on another disk");
  command
      .add("--corpora", options.corpora, make_choices("a corpus", sweep_corpora(), &corpus_shape::name),
           "small-files,short-lines,long-lines,large-files,mixed (all but mixed)")
      .exclude(input);
  command
      .add("--scale SCALE", options.scale, parse_scale,
           "Share of the full number of files of the corpora, 0 to 1 (as much as the time allows)")
      .exclude(input);
}

void add_extent(command_parser& command, sweep_options& options) {
  command.add("--rounds ROUNDS", options.rounds, parse_rounds,
              "Trials of each cell, 1 to 1000 (at least 3, and as many as the time allows)");
  const command_option time = command.add("--time TIME", options.order.plan.seconds, parse_seconds,
                                          "Take about this long, such as 90s or 2m", format_seconds_argument);
  command
      .add_flag("--full", options.full,
                "All strategies, 1 to 4 threads, work 0,100,200,1000, full corpora, 3 rounds; takes hours")
      .exclude(time);
}

// Groups are read from the file of this descriptor, and what was drawn of them is written there.
int answer_drawing(const std::string& descriptor) {
  const std::filesystem::path file = "/proc/self/fd/" + descriptor;
  const nlohmann::json drawn = draw_line_cells(nlohmann::json::parse(std::ifstream{file}));
  std::ofstream out{file};
  out << to_text(drawn) << std::flush;
  if (!out) throw error{{errno, std::system_category()}, "write", file};
  return 0;
}

}  // namespace

void add_sweep_command(program_parser& program) {
  program.add_unlisted(drawing_command, answer_drawing);
  auto [command, options] = add_laboratory_command(program, "sweep", run_sweep_command, sweep_footer);
  add_places(command, options);
  add_axes(command, options);
  add_extent(command, options);
  command.add_flag("--cold", options.order.plan.cold,
                   "Drop the input from the page cache before each trial, and prove it");
  add_seed_option(command, options.order.plan.seed, "the corpora and of the random order");
  command.add("--max-bytes SIZE", options.max_bytes, parse_limit,
              fmt::format("Write no more than this in all ({}; with --full no limit)",
                          format_size_argument(default_max_bytes)));
  add_force_option(command, options.order.force);
  add_log_options(command, options.log);
  command.explain_exit(1, "it failed, or one of the strategies did");
}

}  // namespace freshet::tool
