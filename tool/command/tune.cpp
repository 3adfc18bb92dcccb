#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/profile.hpp>

#include "src/method/registry.hpp"
#include "src/profile/profile_lookup.hpp"
#include "src/profile/profile_text.hpp"
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
#include "tool/doctor/findings.hpp"
#include "tool/export/fio_job.hpp"
#include "tool/report/doctor_report.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/tune_report.hpp"
#include "tool/search/profile_choice.hpp"
#include "tool/search/tuning.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr auto tune_footer =
    R"(Examples:
  freshet tune                              the fastest way to write and read here, within a minute
  freshet tune /data --time 5m              more rounds: smaller differences show
  freshet tune /data --class at_close,cold  only files that are synced when closed, and reading from the disk
  freshet tune /data --workload blocks --size 256M
  freshet tune --details                    all rows, all figures, what was left out and why
  freshet tune /data --dry-run --json -     all trials, and nothing is saved
  freshet tune /data --compress zstd --sample log.txt   from which level on the processors are the limit
Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.)";

constexpr std::uint64_t least_size = std::uint64_t{1} << 20;
constexpr unsigned share_of_space = 4;  // the files take at most this fraction, 1/4, of the free space

struct tune_options {
  std::filesystem::path directory = ".";
  // Without classes: all that there can be.
  tune_setup setup = {.size = std::uint64_t{1} << 30, .seconds = 60, .bytes = default_max_bytes};
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
  if (classes.empty()) classes.assign(all_classes.begin(), all_classes.end());
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

// What the profile that programs use here says of the classes.
std::vector<trial_plan> find_known(const detail::os::file_system& place, const std::vector<io_class>& classes,
                                   workload_kind workload) {
  std::vector<trial_plan> known;
  const detail::profile_stack profiles = detail::read_profiles();
  const file_system_profile* const entry = profiles.find(place.key).entry;
  if (entry == nullptr) return known;
  const auto add = [&](const auto& winner, io_class measured_class) {
    const detail::method_entry* const method = winner ? detail::find_method(winner->method) : nullptr;
    if (method == nullptr || method->changes) return;
    known.push_back(normalize(trial_plan{.method = winner->method,
                                         .block = winner->block != 0 ? winner->block : method->good_block,
                                         .depth = winner->depth != 0 ? winner->depth : method->good_depth,
                                         .measured_class = measured_class,
                                         .workload = workload}));
  };
  for (const io_class each : classes) {
    if (reads(each))
      add(each == io_class::cold ? entry->cold : entry->warm, each);
    else
      add(entry->winners.at(static_cast<std::size_t>(durability_of(each))), each);
  }
  return known;
}

// A plan for each method that works here: to write in order and, if the method can read, to read.
// @throws freshet::error  if no method works
tune_setup make_setup(const tune_options& options, const detail::os::file_system& place) {
  tune_setup setup = options.setup;
  setup.classes = chosen_classes(options, place);
  setup.size = fitting_size(options, setup.classes, place);
  for (const method_info& method : methods(options.directory)) {
    const detail::method_entry* const entry = detail::find_method(method.name);
    if (!method.available() || !method.keeps_order || !entry->needs_file) continue;
    // On a file system in memory nothing bypasses the memory.
    if (method.direct && !is_in_memory(place)) setup.past_cache.insert(method.name);
    if (method.asynchronous) setup.asynchronous.insert(method.name);
    trial_plan plan{.method = method.name, .workload = options.workload, .size = setup.size};
    setup.seeds.push_back(normalize(plan));
    plan.measured_class = io_class::cold;
    if (method.reads && entry->reads_unasked && !entry->changes) setup.reading_seeds.push_back(normalize(plan));
  }
  setup.baselines = {{.method = "ofstream", .workload = options.workload, .size = setup.size}};
  setup.known = find_known(place, setup.classes, options.workload);
  if (setup.seeds.empty())
    refuse(std::errc::operation_not_supported, "tune", options.directory, "no method works there");
  return setup;
}

void announce(const tune_options& options, const tune_setup& setup, const detail::os::file_system& place) {
  const auto reading = std::ranges::count_if(setup.classes, reads);
  const std::string_view work = reading == 0                           ? "write"
                                : reading == std::ssize(setup.classes) ? "read"
                                                                       : "write and read";
  fmt::print("Looking for the fastest way to {} files of {} in {}\n({}{}, {} free): {} methods, {} {}.\n", work,
             format_size(setup.size), printable(options.directory.string()), place.type,
             place.device_name.empty() ? "" : " on " + place.device_name, format_size(place.available),
             work == "read" ? setup.reading_seeds.size() : setup.seeds.size(), setup.classes.size(),
             setup.classes.size() == 1 ? "class" : "classes");
  if (is_in_memory(place)) fmt::print("Nothing is read cold: {}.\n", why_never_cold(place));
  if (setup.size < options.setup.size)
    fmt::print("The files are smaller than {}, so that they use no more than a quarter of the free space.\n",
               format_size(options.setup.size));
  fmt::print("Takes at most {}, writes at most {}, and deletes everything afterwards.\n",
             format_duration(setup.seconds), format_size(setup.bytes));
  std::fflush(stdout);
}

tuning measure(const tune_options& options, const tune_setup& setup, run_log& log) {
  constexpr double share_for_memory = 0.1;
  file_runner runner{options.directory, share_for_memory * setup.seconds};
  text_program programs{options.directory};
  progress line;
  const stopwatch watch;
  std::map<io_class, std::string> best;
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
    trial_source source{.run = [&runner](const trial_plan& plan) { return runner.run(plan); },
                        .now = [&watch] { return watch.seconds(); },
                        .show = show,
                        .keep = keep};
    if (options.workload == workload_kind::text)
      source.run_program = [&programs](const trial_plan& plan) { return programs.run_twice(plan); };
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

// The file that the library reads first. @throws freshet::error
std::filesystem::path profile_path(bool system) {
  if (system) return system_profile_path();
  const std::vector<std::filesystem::path> places = profile_search_path();
  std::filesystem::path path = places.empty() ? user_profile_path() : places.front();
  if (path.empty() || path == system_profile_path())
    refuse(std::errc::no_such_file_or_directory, "save the profile", path,
           "neither XDG_CONFIG_HOME nor HOME is set, so the user has no profile");
  return path;
}

// Checks before the measurement that the profile can be saved after it, and says what is wrong with an old one.
// @throws freshet::error  if it cannot
void require_writable_profile(const std::filesystem::path& path) {
  std::error_code unseen;
  if (std::filesystem::exists(path, unseen)) {
    std::ifstream old{path};
    if (detail::has_newer_format(std::string{std::istreambuf_iterator{old}, {}}))
      refuse(std::errc::not_supported, "save the profile", path,
             "its format is newer than the one that this version of freshet writes; --dry-run only measures");
    for (const std::string& warning : read_profile(path).warnings) fmt::print(stderr, "freshet tune: {}\n", warning);
  }
  std::filesystem::path place = path.parent_path();
  while (place.has_relative_path() && !std::filesystem::exists(place)) place = place.parent_path();
  if (place.empty()) place = ".";
  if (!std::filesystem::is_directory(place, unseen)) refuse(std::errc::not_a_directory, "save the profile", path, {});
  if (::access(place.c_str(), W_OK) != 0) throw error{{errno, std::system_category()}, "save the profile", path};
}

// The entry of that file system in the profile at `path`; an empty one if there is none.
file_system_profile read_entry(const std::filesystem::path& path, const std::string& key) {
  const profile before = read_profile(path);
  const auto old = before.file_systems.find(key);
  return old == before.file_systems.end() ? file_system_profile{} : old->second;
}

void save_result(const std::filesystem::path& path, const tuning& result, const environment& env) {
  std::error_code unseen;
  const bool was_there = std::filesystem::exists(path, unseen);
  const detail::os::file_status before_saving = detail::os::status_of(path, unseen);
  file_system_profile entry =
      make_profile(result, was_there ? read_entry(path, env.file_system_key) : file_system_profile{});
  entry.key = env.file_system_key;
  entry.type = env.file_system;
  entry.mount_options = env.mount_options;
  entry.kernel = env.kernel;
  entry.measured = format_utc_now();
  save_profile(path, entry);
  const std::string broken = path.string() + ".broken";
  if (was_there && detail::os::status_of(broken, unseen).inode == before_saving.inode)
    fmt::print(stderr, "freshet tune: the old profile, which could not be read, is kept as {}\n", broken);
}

// Why the profile was not saved, although there is something to save; empty if it was.
std::string try_to_save(const std::filesystem::path& path, const tuning& result, const environment& env) {
  try {
    save_result(path, result, env);
    return {};
  } catch (const error& failure) {
    return failure.what();
  }
}

// The winners as jobs for fio, which may confirm them.
std::string format_fio_job(const tuning& result, const environment& env) {
  std::vector<class_verdict> verdicts;
  for (const class_result& each : result.classes) verdicts.push_back(each.verdict);
  return format_fio_job(verdicts, env);
}

int run_tune(const tune_options& options) {
  if (!options.compress.empty())
    return tune_compression({.directory = options.directory,
                             .sample = options.sample,
                             .seconds = options.setup.seconds,
                             .max_bytes = options.setup.bytes,
                             .seed = options.setup.seed},
                            options.log.with_seed(options.setup.seed));
  const detail::os::file_system place = file_system_at(options.directory);
  const tune_setup setup = make_setup(options, place);
  const std::filesystem::path path = options.dry_run ? std::filesystem::path{} : profile_path(options.system);
  if (!options.dry_run) require_writable_profile(path);
  options.log.require_writable();
  if (options.log.allow_text()) announce(options, setup, place);
  run_log log{options.log.with_seed(options.setup.seed), "tune", options.directory};
  const environment& env = log.about().env;
  const std::vector<finding> distortions = find_known_distortions(env);
  const tuning result = measure(options, setup, log);
  options.log.print("{}{}", format_tuning(result, standard_screen(), options.details), format_distortions(distortions));
  const bool has_winner =
      std::ranges::any_of(result.classes, [](const class_result& each) { return !each.verdict.ranking.empty(); });
  const bool worth_saving = !options.dry_run && std::ranges::any_of(result.classes, [](const class_result& each) {
    return choose_for_profile(each).winner != nullptr;
  });
  const std::string why_not_saved = worth_saving ? try_to_save(path, result, env) : "";
  const bool saved = worth_saving && why_not_saved.empty();
  nlohmann::json document = make_json(result);
  document["distorted_by"] = distortions;
  document["profile"] = saved ? nlohmann::json(path.string()) : nlohmann::json(nullptr);
  const int exit_code = log.publish(
      fmt::format("The same order again: --seed {}\n{}\n\n{}", options.setup.seed,
                  saved ? "Saved as the profile in " + path.string() + "." : "Nothing was saved.", snippet(result)),
      document);
  if (has_winner) write_text(format_fio_job(result, env), options.log.fio_job);
  if (!why_not_saved.empty()) fmt::print(stderr, "freshet tune: {}\n", why_not_saved);
  if (result.interrupted)
    throw interrupted{noted_interrupt(), saved ? fmt::format("what was found is saved in {}", printable(path.string()))
                                               : "nothing was saved"};
  if (has_winner) return why_not_saved.empty() ? exit_code : 1;
  std::fflush(stdout);
  throw_if_interrupted();
  fmt::print(stderr, "freshet tune: no valid trial in {}; --json lists the reasons\n",
             printable(options.directory.string()));
  return 1;
}

}  // namespace

void add_tune_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "tune", "Find the fastest way to write and read in a directory, and save it", run_tune, tune_footer);
  command.add("DIR", options.directory, "The directory");
  auto size = command.add("--size SIZE", options.setup.size, parse_file_size, "Bytes of the files to be written",
                          format_size_argument);
  command.add("--time TIME", options.setup.seconds, parse_seconds, "Take no longer than this, 90s, 2m",
              format_seconds_argument);
  command.add("--max-bytes SIZE", options.setup.bytes, parse_limit, "Write no more than this in all, and read no more",
              format_size_argument);
  auto measured =
      command.add("--class,--durability", options.setup.classes, classes(),
                  "How durably to write: none,at_close,each_write; and what to read: cold,warm (all of them)");
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
