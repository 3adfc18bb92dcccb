#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <freshet/methods.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/text.hpp"
#include "tool/command/against.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/presets.hpp"
#include "tool/command/results.hpp"
#include "tool/report/bench_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/plan.hpp"
#include "tool/trial/program_runner.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr auto bench_footer =
    R"(Examples:
  freshet bench /data                       every method once per round, with its own blocks
  freshet bench /data --method buffered,uring --block 256K,4M --rounds 9
  freshet bench /data --class cold,warm     the ways to read, side by side
  freshet bench /data --method direct --jobs 4      four files at once
  freshet bench /data --method buffered,uring --reserve=on,off --block 256K,4M     what each option is worth
  freshet bench /data --preset w1           the options of "Creating text files", 2006, beside what was published
  freshet bench /data --method uring --against old/freshet     for use in CI: exit code 1 if this build is slower, 3 if
                                            that cannot be told
  freshet bench /data --program './export {}' --check 'cmp {} expected'     a program of yours that writes {}
  freshet bench /data --program './import {}' --reads --size 2G     one that reads it, from the disk
  freshet bench /data --program './export {}' --method auto,direct --size 1G     in turns with methods
  freshet bench /data --program './export {}' --against './export.old {}'     is it slower than before?
Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.)";

constexpr std::uint64_t usual_size = std::uint64_t{1} << 30;

// The usual value of each axis, but no method and nothing said of order. No class: none, or cold with --reads. Memory
// is in the one state that no trial can miss: a host may take it back, or the time may not suffice to bring it to rest,
// and runs whose trials met different memory are not compared.
grid usual_grid() {
  grid usual{.common = {.memory = memory_state::left}};
  each_axis([&]<auto option>(const plan_option<option>&) { usual.of<option>() = {usual.common.*option}; });
  usual.of<&trial_plan::method>().clear();
  usual.of<&trial_plan::ordered>().clear();
  return usual;
}

struct bench_options {
  std::filesystem::path directory = ".";
  grid varied = usual_grid();
  std::optional<preset> published;
  std::vector<std::string> programs;
  bool reads = false;
  program_request request;
  // As many as `compare` needs to decide, and more where they cost little: some are disturbed, or met other memory.
  series_options series = {.rounds = rounds_to_decide, .rounds_if_short = 15};
  against_options against;
  log_options log;
};

// The methods that the user named, all of which must work here; or else all methods that do, unless he named programs.
// @throws freshet::error
std::vector<std::string> chosen_methods(const bench_options& options) {
  const std::vector<std::string>& named = options.varied.of<&trial_plan::method>();
  std::vector<std::string> chosen = named;
  if (chosen.empty() && !options.programs.empty()) return {};
  const bool keeps_to_automatic = std::ranges::all_of(options.varied.of<&trial_plan::caching>(),
                                                      [](caching each) { return each == caching::automatic; });
  if (chosen.empty() && !keeps_to_automatic) return {"auto"};
  const bool nothing_is_known = std::ranges::all_of(options.varied.of<&trial_plan::prior>(),
                                                    [](prior_state each) { return each == prior_state::none; });
  if (chosen.empty() && !nothing_is_known) return {"adaptive"};
  const std::vector<bool>& orders = options.varied.of<&trial_plan::ordered>();
  const bool any_unordered = std::ranges::find(orders, false) != orders.end();
  for (const method_info& method : list_methods(named, options.directory)) {
    const bool fits = method.available() && method.name != "null" && (method.keeps_order || any_unordered);
    if (named.empty() && fits) chosen.push_back(method.name);
  }
  return chosen;
}

bool is_program(const bench_options& options, const trial_plan& plan) {
  return std::ranges::find(options.programs, plan.method) != options.programs.end();
}

std::vector<candidate> make_rows(const bench_options& options) {
  grid varied = options.varied;
  varied.of<&trial_plan::method>() = chosen_methods(options);
  varied.common.size = options.request.size != 0 ? options.request.size : usual_size;
  std::vector<candidate> rows;
  if (!varied.of<&trial_plan::method>().empty())
    for (const trial_plan& plan : make_plans(varied)) rows.push_back({.plan = plan, .dropped = why_impossible(plan)});
  // Don't report write-only methods unless the user named them.
  if (options.varied.of<&trial_plan::method>().empty())
    std::erase_if(rows, [](const candidate& row) { return !row.dropped.empty(); });
  for (const io_class measured_class : varied.of<&trial_plan::measured_class>())
    for (const std::string& words : options.programs)
      rows.push_back({.plan = {.method = words,
                               .measured_class = measured_class,
                               .memory = varied.common.memory,
                               .size = options.request.size}});
  return rows;
}

// What --class and --size are where they were not named. @throws usage_error
bench_options complete(bench_options options) {
  std::vector<io_class>& named = options.varied.of<&trial_plan::measured_class>();
  if (named.empty()) named = {options.reads ? io_class::cold : io_class::none};
  const bool reads_any = std::ranges::any_of(named, [](io_class each) { return tool::reads(each); });
  if (options.reads && !std::ranges::all_of(named, [](io_class each) { return tool::reads(each); }))
    throw usage_error{"bench", "--reads: --class can only be cold or warm"};
  if (!options.programs.empty() && reads_any && !options.reads)
    throw usage_error{"bench", "--program writes, and cold and warm read: --reads says that it reads"};
  if (!options.against.other.empty() && options.programs.size() > 1)
    throw usage_error{"bench", "--against compares one --program with another"};
  if (options.reads && options.request.size == 0) options.request.size = usual_size;
  options.against.request = options.request;  // which counts its bytes itself
  options.request.max_bytes = options.series.max_bytes;
  if (!options.programs.empty()) options.against.program = options.programs.front();
  return options;
}

// Whether files are read back for what reserving gains.
bool reads_back(const bench_options& options) { return options.varied.of<&trial_plan::reserve>().size() > 1; }

constexpr std::uint64_t size_to_guess = std::uint64_t{32} << 20;

// MB/s at which the directory takes one small file to its device: what the whole takes can only be guessed.
double guess_rate(const std::filesystem::path& directory) {
  const scratch place{directory};
  const trial_plan plan{.method = "buffered",
                        .measured_class = io_class::at_close,
                        .workload = workload_kind::text,
                        .size = size_to_guess};
  const stopwatch watch;
  static_cast<void>(write_file(plan, place.file(0), nullptr));
  return static_cast<double>(size_to_guess) / watch.seconds() / 1e6;
}

// Says on standard error, before a series that takes its time, how many trials there are, and what they write and take.
void announce(const bench_options& options, std::span<const candidate> rows) {
  constexpr std::uint64_t much = std::uint64_t{4} << 30;
  std::uint64_t trials = 0;
  std::uint64_t moved = 0;
  std::uint64_t written = 0;
  for (const candidate& row : rows) {
    if (!row.dropped.empty()) continue;
    trials += options.series.rounds;
    written += compute_bytes_written(row.plan) * options.series.rounds;
    moved += row.plan.size * row.plan.jobs * options.series.rounds * (reads_back(options) ? 2 : 1);
  }
  if (moved < much) return;
  fmt::print(stderr, "freshet bench: {} trials, {} to be written", trials, format_size(written));
  if (written + size_to_guess <= options.series.max_bytes) {
    const double seconds = static_cast<double>(moved) / 1e6 / guess_rate(options.directory) + usual_patience;
    fmt::print(stderr, ", about {}", format_duration(seconds));
  }
  fmt::print(stderr, "\n");
}

// Says on standard error why programs were not measured. Returns whether all were.
bool report_failures(const bench_options& options, const std::vector<candidate>& rows) {
  bool all_were = true;
  for (const candidate& row : rows) {
    if (!is_program(options, row.plan) || row.dropped.empty()) continue;
    fmt::print(stderr, "freshet bench: {}: {}\n", row.plan.method, row.dropped);
    all_were = false;
  }
  return all_were;
}

// The fastest plan of the class so far.
std::optional<candidate> best_so_far(const std::vector<candidate>& rows, io_class measured_class) {
  std::optional<candidate> best;
  for (const candidate& row : rows) {
    if (row.plan.measured_class != measured_class || row.plan.method == "null") continue;
    candidate current{.plan = row.plan, .trials = row.trials};
    if (count_usable(current) > 0 && (!best || seconds_per_gb(current) < seconds_per_gb(*best)))
      best = std::move(current);
  }
  return best;
}

// The fastest plan of each class so far, for a run that ends early.
std::string describe_all_best(const std::vector<candidate>& rows) {
  std::string text;
  for (const io_class measured_class : all_classes)
    if (const auto best = best_so_far(rows, measured_class))
      text += (text.empty() ? "best so far " : ", ") + describe_best(*best);
  return text.empty() ? "nothing was found yet" : text;
}

series_result measure_all(const bench_options& options, std::vector<candidate>& rows, run_log& log) {
  const std::size_t planned = rows.size() * options.series.rounds;
  std::size_t made = 0;
  progress line;
  const auto show = [&](const scheduled_trial& next, std::size_t /*number*/, double left) {
    ++made;
    if (!line.is_seen()) return;
    const trial_plan& plan = rows[next.plan].plan;
    const auto best = best_so_far(rows, plan.measured_class);
    line.show(fmt::format("trial {} of {}, {}", made, std::max(made, planned),
                          describe_progress(plan, best ? &*best : nullptr)),
              left);
  };
  file_runner methods{options.directory};
  if (reads_back(options)) methods.read_back_all();
  std::optional<program_runner> programs;
  if (!options.programs.empty()) programs.emplace(options.directory, options.request);
  const auto run = [&](const trial_plan& plan) {
    return is_program(options, plan) ? programs->run(plan) : methods.run(plan);
  };
  const auto keep = [&](const trial_result& trial) {
    record kept = make_record(trial);
    if (is_program(options, trial.plan)) set_purpose(kept, trial_purpose::program);
    log.keep(std::move(kept));
  };
  try {
    const stopwatch watch;
    return run_rounds(rows, options.series.limits(), {options.series.order, options.series.seed},
                      {.run = run, .before = show, .keep = keep, .after = [](const scheduled_trial&) {}},
                      [&] { return watch.seconds(); });
  } catch (interrupted& signal) {
    line.clear();
    signal.so_far = describe_all_best(rows);
    throw;
  }
}

nlohmann::json make_json(std::span<const candidate> rows, const series_result& result, const machine_figures& machine) {
  nlohmann::json left_out = nlohmann::json::array();
  for (const candidate& row : rows)
    if (!row.dropped.empty()) left_out.push_back({{"plan", row.plan}, {"why_not", row.dropped}});
  return {
      {"verdicts", bench_verdicts(rows)}, {"effects", bench_effects(rows)}, {"trials", make_json_array(result.trials)},
      {"not_measured", left_out},         {"machine_rate", machine},        {"bytes_written", result.bytes_written}};
}

// @throws usage_error  if options were named that the experiment has of its own
int run_published(const bench_options& options) {
  grid usual = usual_grid();
  usual.common.memory = options.varied.common.memory;
  if (options.varied != usual || !options.against.other.empty())
    throw usage_error{"--preset", "it has ways and options of its own"};
  return run_preset()({.directory = options.directory,
                       .size = options.request.size,
                       .memory = options.varied.common.memory,
                       .series = options.series,
                       .log = options.log});
}

int run_bench(const bench_options& named) {
  if (named.published) return run_published(named);
  const bench_options options = complete(named);
  std::vector<candidate> rows = make_rows(options);
  if (!options.against.other.empty())
    return run_against(options.against, rows, options.series, options.log, options.directory);
  options.series.check(options.directory, rows);
  const std::vector<std::string>& methods = options.varied.of<&trial_plan::method>();
  if (std::ranges::find(methods, "auto") != methods.end()) print_profile_warnings("bench");
  announce(options, rows);
  run_log log{options.log.with_seed(options.series.seed), "bench", options.directory};
  const series_result result = measure_all(options, rows, log);
  const machine_figures machine = make_machine_figures(log.read_machine_rate(), rows);
  const int exit_code = log.publish(format_machine_figures(machine, format_utc_now()) +
                                        fmt::format("{}\n{}", format_bench(rows, standard_screen()),
                                                    format_end(result.bytes_written, options.series.seed)),
                                    make_json(rows, result, machine));
  const bool all_programs_ran = report_failures(options, rows);
  if (!result.trials.empty()) return all_programs_ran ? exit_code : EXIT_FAILURE;
  refuse(std::errc::operation_not_supported, "measure in", options.directory,
         rows.empty() ? "no method works there" : rows.front().dropped);
}

template <auto option>
command_option add_axis(command_parser& command, grid& varied) {
  constexpr auto axis = std::get<plan_option<option>>(plan_options);
  auto& values = varied.of<option>();
  if constexpr (std::is_same_v<option_value<option>, bool>) {
    return add_switch_option(command, axis.words, values, axis.among(), axis.help);
  } else if constexpr (axis.among != nullptr) {
    return command.add(axis.words, values, axis.among(), axis.help);
  } else {
    command_option added = command.add(axis.words, values, parse_list<axis.parse>, axis.help);
    return axis.offered == nullptr ? added : added.offer(axis.offered());
  }
}

void add_axes(command_parser& command, grid& varied) {
  each_axis([&]<auto option>(const plan_option<option>& axis) {
    if (axis.parse != nullptr) add_axis<option>(command, varied);
  });
  command.add("--class,--durability", varied.of<&trial_plan::measured_class>(), classes(),
              "How durably to write: none,at_close,each_write; or what to read: cold,warm (none; with --reads, cold)");
  trial_plan& plan = varied.common;
  command.add("--workload", plan.workload, workloads_of_plans(), "text or blocks, which cannot be compressed");
  add_target_option(command, plan.target);
  add_memory_option(command, plan.memory);
  each_axis([&]<auto option>(const plan_option<option>& axis) {
    // --unordered stands beside what needs it.
    if (axis.among != nullptr && axis.key != "ordered") add_axis<option>(command, varied);
  });
}

void add_program_options(command_parser& command, bench_options& options, const command_option& jobs) {
  program_request& request = options.request;
  command.add("--size SIZE", request.size, parse_file_size,
              "Bytes of each file (1G); of a program that leaves no file, the bytes that it writes");
  command_option program =
      command.add("--program COMMAND", options.programs,
                  "A program of yours that writes a file: words for the shell, {} is the file; may "
                  "be repeated. Without --method, programs alone");
  program.take_one_at_a_time().exclude(jobs);
  command
      .add("--preset", options.published, make_choices<preset>("an experiment"),
           "A published experiment instead: w1, \"Creating text files\" of 2006, its programs and options")
      .exclude(program);
  command.add_flag("--reads", options.reads, "The programs read the file, which freshet writes before").need(program);
  command
      .add("--check COMMAND", request.check, "Whether the file is right, after each of the programs: exit code 0 if so")
      .need(program);
  command
      .add("--timeout TIME", request.time_limit, parse_seconds, "The longest that a program may take",
           format_seconds_argument)
      .need(program);
}

}  // namespace

void add_bench_command(program_parser& program) {
  auto [command, options] = program.add_command("bench", "Measure a grid of ways to write or read files in a directory",
                                                run_bench, bench_footer);
  command.add("DIR", options.directory, "The directory");
  add_axes(command, options.varied);
  const command_option jobs =
      command.add("--jobs", options.varied.common.jobs, 1, 256, "Files written or read at once, with a thread each");
  add_program_options(command, options, jobs);
  const command_option unordered = add_axis<&trial_plan::ordered>(command, options.varied);
  command.add_flag("--size-ahead", options.varied.common.size_ahead, "Set the files' size first; needs --unordered")
      .need(unordered);
  add_series_options(command, options.series, "plan");
  add_against_options(command, options.against);
  add_log_options(command, options.log);
  command.explain_exit(exit_worse,
                       "it failed, or a program did; with --against, the first is certainly slower than "
                       "--fail-if-worse allows");
  command.explain_exit(exit_cannot_tell, "with --against: whether it is slower cannot be told");
}

}  // namespace freshet::tool
