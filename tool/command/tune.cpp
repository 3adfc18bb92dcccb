#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/profile.hpp>

#include "src/method/registry.hpp"
#include "src/profile/profile_lookup.hpp"
#include "src/profile/profile_text.hpp"
#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/programs.hpp"
#include "tool/command/results.hpp"
#include "tool/command/tune_compression.hpp"
#include "tool/command/tune_saving.hpp"
#include "tool/doctor/findings.hpp"
#include "tool/export/fio_job.hpp"
#include "tool/report/doctor_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/search/tuning.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr auto tune_footer =
    R"(Examples:
  freshet tune                              how to write a file of 1 GiB here, and to read one from the disk
  freshet tune /data --size 64M             the same for files of 64 MiB
  freshet tune /data --time 10m             more rounds, other blocks, and what programs will get
  freshet tune /data --class at_close,warm  files that are on the disk after close(), and reading from memory
  freshet tune /data --workload blocks --size 256M
  freshet tune --details                    all rows, all figures, what was left out and why
  freshet tune /data --dry-run --json -     all trials, and nothing is saved
  freshet tune /data --compress zstd --sample log.txt   from which level on the processors are the limit
Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.)";

constexpr std::uint64_t least_size = std::uint64_t{1} << 20;
constexpr unsigned share_of_space = 4;  // the files take at most this fraction, 1/4, of the free space
constexpr std::array default_classes{io_class::none, io_class::cold};
constexpr double seconds_for_compression = 60;

struct tune_options {
  std::filesystem::path directory = ".";
  // Without classes: default_classes.
  tune_setup setup = {.size = std::uint64_t{1} << 30, .bytes = default_max_bytes};
  std::optional<double> seconds;  // empty: as long as the answers need
  workload_kind workload = workload_kind::text;
  bool system = false;
  bool dry_run = false;
  bool details = false;
  std::string compress;
  std::filesystem::path sample;
  log_options log;
};

// The classes asked for, but for cold where nothing can be read cold. @throws freshet::error  if none is left
std::vector<io_class> chosen_classes(const tune_options& options, const detail::os::file_system& place) {
  std::vector<io_class> classes = options.setup.classes;
  if (classes.empty()) classes.assign(default_classes.begin(), default_classes.end());
  if (!is_in_memory(place)) return classes;
  std::erase(classes, io_class::cold);
  if (!classes.empty()) return classes;
  refuse(std::errc::operation_not_supported, "read cold in", options.directory, why_never_cold(place));
}

// The size asked for, or less, in whole MiB, if the files would take more than a quarter of the free space.
// @throws freshet::error  if that is less than one MiB
std::uint64_t fitting_size(const tune_options& options, std::span<const io_class> classes,
                           const detail::os::file_system& place) {
  const auto reading = std::ranges::count_if(classes, reads);
  const std::uint64_t files = reading == 0 || reading == std::ssize(classes) ? 1 : 2;
  const std::uint64_t most = place.available / share_of_space / files / least_size * least_size;
  if (most >= options.setup.size) return options.setup.size;
  if (most == 0)
    refuse(std::errc::no_space_on_device, "tune", options.directory,
           fmt::format("only {} are free on the file system", format_size(place.available)));
  return most;
}

// Enters in the setup what the profile that programs use here says of its classes.
void enter_known(tune_setup& setup, const detail::os::file_system& place, workload_kind workload) {
  const detail::profile_stack profiles = detail::read_profiles();
  const file_system_profile* const entry = profiles.find(place.key).entry;
  if (entry == nullptr) return;
  const auto add = [&](const auto& winner, io_class measured_class) {
    const detail::method_entry* const method = winner ? detail::find_method(winner->method) : nullptr;
    if (winner && winner->fixed) setup.fixed.push_back(measured_class);
    if (method == nullptr || method->changes) return;
    setup.known.push_back(normalize(trial_plan{.method = winner->method,
                                               .block = winner->block != 0 ? winner->block : method->good_block,
                                               .depth = winner->depth != 0 ? winner->depth : method->good_depth,
                                               .measured_class = measured_class,
                                               .workload = workload,
                                               .memory = memory_state::left}));
  };
  for (const io_class each : setup.classes) {
    if (reads(each))
      add(each == io_class::cold ? entry->cold : entry->warm, each);
    else
      add(entry->winners.at(static_cast<std::size_t>(durability_of(each))), each);
  }
}

// A plan for each method that works here: to write in order and, if the method can read, to read. What programs get by
// themselves is among them. Memory is as trials leave it: so a series of programs finds it.
// @throws freshet::error  if no method works
tune_setup make_setup(const tune_options& options, const detail::os::file_system& place) {
  tune_setup setup = options.setup;
  setup.classes = chosen_classes(options, place);
  setup.size = fitting_size(options, setup.classes, place);
  setup.seconds = options.seconds.value_or(usual_seconds(setup.classes));
  setup.goes_on = options.seconds.has_value();
  const std::vector<method_info> all_methods = methods(options.directory);
  for (const method_info& method : all_methods) {
    const detail::method_entry* const entry = detail::find_method(method.name);
    if (!method.available() || !method.keeps_order || !entry->needs_file) continue;
    // On a file system in memory nothing bypasses the memory.
    if (method.direct && !is_in_memory(place)) setup.past_cache.insert(method.name);
    if (method.asynchronous) setup.asynchronous.insert(method.name);
    trial_plan plan{
        .method = method.name, .workload = options.workload, .memory = memory_state::left, .size = setup.size};
    setup.seeds.push_back(normalize(plan));
    plan.measured_class = io_class::cold;
    if (method.reads && entry->reads_unasked) setup.reading_seeds.push_back(normalize(plan));
  }
  setup.baselines = {
      {.method = "ofstream", .workload = options.workload, .memory = memory_state::left, .size = setup.size}};
  enter_known(setup, place, options.workload);
  if (setup.seeds.empty())
    refuse(std::errc::operation_not_supported, "tune", options.directory,
           "no method works there, not even the simplest: " + all_methods.front().why_not);
  return setup;
}

// What is going to happen.
std::string format_announcement(const tune_options& options, const tune_setup& setup,
                                const detail::os::file_system& place) {
  const auto reading = std::ranges::count_if(setup.classes, reads);
  const std::string_view work = reading == 0                           ? "write"
                                : reading == std::ssize(setup.classes) ? "read"
                                                                       : "write and read";
  std::string text =
      wrapped(fmt::format("Looking for the fastest way to {} files of {} in {} ({}{}). Takes at most {}, writes "
                          "at most {}, and leaves nothing there.",
                          work, format_size(setup.size), printable(options.directory.string()), place.type,
                          place.device_name.empty() ? "" : " on " + place.device_name, format_duration(setup.seconds),
                          format_size(setup.bytes)),
              0);
  const bool asks_for_cold = options.setup.classes.empty() ||
                             std::ranges::find(options.setup.classes, io_class::cold) != options.setup.classes.end();
  if (asks_for_cold && is_in_memory(place))
    text += wrapped(fmt::format("Nothing is read cold: {}.", why_never_cold(place)));
  if (setup.size < options.setup.size)
    text +=
        wrapped(fmt::format("The files are smaller than {}, so that they use no more than a quarter of the free "
                            "space.",
                            format_size(options.setup.size)));
  return text;
}

// A trial whose process failed, so that the others go on.
trial_result make_failed_trial(const trial_plan& plan, const child_failure& failure) {
  trial_result trial;
  trial.plan = plan;
  trial.validity = trial_validity::invalid;
  trial.reasons = {failure.what()};
  return trial;
}

tuning measure(const tune_options& options, const tune_setup& setup, const detail::os::file_system& place,
               run_log& log) {
  file_runner runner{options.directory, prepare_machine_memory(options.directory), trial_process::own};
  text_program programs{options.directory};
  progress line;
  const stopwatch watch;
  std::map<io_class, std::string> best;
  const auto run = [&runner](const trial_plan& plan) {
    try {
      return runner.run(plan);
    } catch (const child_failure& failure) {
      return make_failed_trial(plan, failure);
    }
  };
  const auto show = [&line, &best](const race_progress& now) {
    if (now.best != nullptr && count_usable(*now.best) != 0)
      best[now.best->plan.measured_class] = describe_best(*now.best);
    line.show(describe_progress(now.running, now.best), now.seconds_left);
  };
  const auto keep = [&log](const trial_result& trial, trial_purpose purpose) {
    record kept = make_record(trial);
    set_purpose(kept, purpose);
    log.keep(std::move(kept));
  };
  try {
    trial_source source{.run = run, .now = [&watch] { return watch.seconds(); }, .show = show, .keep = keep};
    if (options.workload == workload_kind::text)
      source.run_program = [&programs](const trial_plan& plan) { return programs.run_twice(plan); };
    // Files in memory have no use for a profile.
    if (!is_in_memory(place))
      source.use_profile = [&](file_system_profile entry) {
        entry.key = place.key;
        programs.use_profile(entry);
        runner.use_profile(std::move(entry));
      };
    tuning result = tune(setup, source);
    // What half of the time has found is worth keeping.
    if (result.interrupted && result.seconds < setup.seconds / 2) throw_if_interrupted();
    return result;
  } catch (interrupted& signal) {
    line.clear();
    for (const auto& [measured_class, words] : best)
      signal.so_far += (signal.so_far.empty() ? "best so far " : ", ") + words;
    if (best.empty()) signal.so_far = "nothing was found yet";
    signal.so_far += "; nothing was saved";
    throw;
  }
}

// The winners as jobs for fio, which may confirm them.
std::string format_fio_job(const tuning& result, const environment& env) {
  std::vector<class_verdict> verdicts;
  for (const class_result& each : result.classes) verdicts.push_back(each.verdict);
  return format_fio_job(verdicts, env);
}

// Why there is no answer.
std::string describe_no_answer(const tuning& result, const tune_options& options) {
  if (!result.failure.empty()) return result.failure;
  return fmt::format("no valid trial in {}; --json lists the reasons", printable(options.directory.string()));
}

// The answers, what became of them, and where to read more.
std::string format_end(const tuning& result, const saving& saved, const tune_options& options) {
  std::string text = wrapped(saved.told);
  if (!result.failure.empty()) text += wrapped("It ended early: " + result.failure + ".");
  return text + wrapped(fmt::format("Written: {} in {}. Same order: --seed {}.{}", format_size(result.bytes_written),
                                    format_duration(result.seconds), options.setup.seed,
                                    options.details ? "" : " More: --details."));
}

int run_tune(const tune_options& options) {
  if (!options.compress.empty())
    return tune_compression({.directory = options.directory,
                             .sample = options.sample,
                             .seconds = options.seconds.value_or(seconds_for_compression),
                             .max_bytes = options.setup.bytes,
                             .seed = options.setup.seed},
                            options.log.with_seed(options.setup.seed));
  const detail::os::file_system place = file_system_at(options.directory);
  const tune_setup setup = make_setup(options, place);
  const std::filesystem::path path = options.dry_run ? std::filesystem::path{} : profile_path(options.system);
  if (!path.empty()) require_writable_profile(path);
  options.log.require_writable();
  const std::string announcement = format_announcement(options, setup, place);
  options.log.print("{}", announcement);
  std::fflush(stdout);
  run_log log{options.log.with_seed(options.setup.seed), "tune", options.directory};
  const environment& env = log.about().env;
  const std::vector<finding> distortions = find_known_distortions(env);
  const tuning result = measure(options, setup, place, log);
  const saving saved =
      options.dry_run ? saving{.told = "Nothing was saved, because of --dry-run."} : save_answers(path, result, env);
  const machine_figures machine = make_machine_figures(log.read_machine_rate(), result);
  nlohmann::json document = make_json(result);
  document["machine_rate"] = machine;
  document["distorted_by"] = distortions;
  document["profile"] = saved.saved ? nlohmann::json(path.string()) : nlohmann::json(nullptr);
  const std::string known = format_machine_figures(machine, format_utc_now());
  const std::string end = format_end(result, saved, options);
  options.log.print("{}", known);
  if (options.details) options.log.print("{}", format_distortions(distortions));
  const std::size_t others = count_lines(announcement) + count_lines(known) + count_lines(end);
  options.log.print("{}", format_tuning(result, standard_screen(), options.details,
                                        lines_of_screen - std::min(others, lines_of_screen)));
  const int exit_code = log.publish(end, document);
  if (result.has_answer()) write_text(format_fio_job(result, env), options.log.fio_job);
  if (!saved.failure.empty()) fmt::print(stderr, "freshet tune: {}\n", saved.failure);
  if (result.interrupted)
    throw interrupted{noted_interrupt(), saved.saved
                                             ? fmt::format("what was found is saved in {}", printable(path.string()))
                                             : "nothing was saved"};
  if (result.has_answer()) return saved.failure.empty() ? exit_code : 1;
  std::fflush(stdout);
  throw_if_interrupted();
  fmt::print(stderr, "freshet tune: {}\n", describe_no_answer(result, options));
  return 1;
}

}  // namespace

void add_tune_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "tune", "Answer what is the fastest way to write and to read files in a directory", run_tune, tune_footer);
  command.add("DIR", options.directory, "The directory");
  auto size = command.add("--size SIZE", options.setup.size, parse_file_size, "Bytes of the file that is asked about",
                          format_size_argument);
  command.add("--time TIME", options.seconds, parse_seconds,
              "Take all of this, 90s, 10m, and no more (as long as the answers need)");
  command.add("--max-bytes SIZE", options.setup.bytes, parse_limit, "Write no more than this in all, and read no more",
              format_size_argument);
  auto measured =
      command.add("--class,--durability", options.setup.classes, classes(),
                  "How durably to write: none,at_close,each_write; and what to read: cold,warm (none,cold)");
  auto workload = command.add("--workload", options.workload, workloads_of_plans(),
                              "text, or blocks: large pieces that cannot be compressed");
  auto system = command.add_flag("--system", options.system, "Save the profile for all users of this machine");
  auto matters = add_matters_option(command, options.setup.negligible_share);
  auto details =
      command.add_flag("--details", options.details, "Show all rows, all figures, and what was left out and why");
  command.add_flag("--dry-run", options.dry_run, "Measure, but do not save the profile");
  auto compress = command.add("--compress", options.compress,
                              make_choices("a compression", std::array<std::string, 1>{"zstd"}, std::identity{}),
                              "Compare the levels of this compression instead, zstd, and save nothing");
  auto sample = command.add("--sample", options.sample, "The data that is compressed: 256M of this file at most");
  compress.need(sample);
  sample.need(compress);
  for (const command_option& each : {size, measured, workload, system, matters, details}) compress.exclude(each);
  add_log_options(command, options.log, "verdicts and trials");
  compress.exclude(add_fio_job_option(command, options.log));
  add_order_seed_option(command, options.setup.seed);
}

}  // namespace freshet::tool
