#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "lab/filesystems/device_traits.hpp"
#include "lab/filesystems/loop_file.hpp"
#include "lab/filesystems/mounting.hpp"
#include "lab/filesystems/real_device.hpp"
#include "lab/filesystems/report.hpp"
#include "lab/filesystems/volume.hpp"
#include "lab/filesystems/volume_search.hpp"
#include "src/method/registry.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/device_lock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

constexpr auto filesystems_footer =
    R"(It makes file systems in a file below DIR, mounts them where no other process sees them, and removes everything at
the end; that takes root. With --device it makes them on a real device instead, and all that is on it is lost.

Examples:
  sudo freshet filesystems /data            which file system writes large files fastest; 10 minutes
  sudo freshet filesystems /data --for small --time 3m
  sudo freshet filesystems /data --types ext4,xfs --methods direct,uring
  sudo freshet filesystems /data --volume "xfs -d agcount=8, noatime" --volume ext4
  sudo freshet filesystems /data --preset w4
                                            the published options and methods beside today's defaults
  sudo freshet filesystems --device /dev/sdb --destroy
  sudo freshet filesystems /data --raid 64Kx4      /data is on a RAID of four disks that freshet cannot see
  freshet filesystems --list                what this machine can make, and why not the rest)";

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t least_volume = 384 * mebibyte;  // XFS takes 300 MiB
constexpr std::uint64_t most_bytes = mebibyte * 1024 * 256;
constexpr std::uint64_t share_of_volume = 8;  // a large file takes at most this part of it

struct filesystems_options {
  std::filesystem::path directory = ".";
  volume_search_setup setup = {
      .volumes = {}, .methods = {}, .size = 256 * mebibyte, .seconds = 600, .bytes = most_bytes};
  std::uint64_t volume_size = 2048 * mebibyte;
  std::vector<std::string> types;
  std::vector<std::string> methods;
  std::vector<std::string> volumes;
  std::optional<volume_preset> preset;
  std::optional<raid_geometry> raid;  // empty: what the device is
  std::string device;
  bool destroy = false;
  bool details = false;
  bool list = false;
  log_options log;
};

std::string parse_type(std::string_view text) { return parse_volume(text).type; }
std::vector<std::string> read_volume(std::string_view text) { return {name_of(parse_volume(text))}; }
std::optional<raid_geometry> read_raid(std::string_view text) { return parse_raid(text); }
std::optional<volume_preset> read_preset(std::string_view text) { return parse_preset(text); }

std::vector<listed_kind> list_kinds() {
  std::vector<listed_kind> kinds;
  for (const volume_kind& each : volume_kinds()) kinds.push_back({&each, why_unavailable(each)});
  return kinds;
}

int show_kinds(const filesystems_options& options) {
  if (!options.log.exports.empty()) throw usage_error{"--export", "--list has no trials to export"};
  options.log.require_writable();
  const std::vector<listed_kind> kinds = list_kinds();
  options.log.publish(format_kinds(kinds, standard_screen()), {{"kinds", kinds}});
  return 0;
}

// The volumes to begin with, without those that this machine cannot make, which `remarks` names.
std::vector<std::string> choose_volumes(const filesystems_options& options, std::vector<std::string>& remarks) {
  std::vector<std::string> wanted = options.volumes;
  if (wanted.empty() && options.preset) wanted = options.preset->volumes;
  if (wanted.empty()) wanted = options.types;
  if (wanted.empty())
    for (const volume_kind& each : volume_kinds())
      if (each.tested_by_default) wanted.emplace_back(each.type);
  std::vector<std::string> possible;
  for (const std::string& each : wanted) {
    const volume which = parse_volume(each);
    const std::string why_not = why_unavailable(*find_volume_kind(which.type));
    if (why_not.empty())
      possible.push_back(name_of(which));
    else
      remarks.push_back(fmt::format("Without {}: {}.", which.type, why_not));
  }
  if (possible.empty())
    refuse(std::errc::operation_not_supported, "compare file systems in", options.directory,
           fmt::format("{}", fmt::join(remarks, " ")));
  return possible;
}

// Adaptive is no candidate: it chooses among the others.
std::vector<std::string> choose_methods(const filesystems_options& options) {
  if (!options.methods.empty()) return options.methods;
  if (options.preset) return options.preset->methods;
  switch (options.setup.goal) {
    case volume_goal::small:
      return {"buffered"};  // no other method begins before a file's first block is full
    case volume_goal::durable:
      return {"buffered", "direct", "uring"};
    case volume_goal::large:
      break;
  }
  std::vector<std::string> methods;
  for (const detail::method_entry& each : detail::method_entries())
    if (each.keeps_order && each.needs_file && !each.changes) methods.emplace_back(each.name);
  return methods;
}

void require_root(const std::filesystem::path& directory) {
  if (::geteuid() == 0) return;
  refuse(std::errc::operation_not_permitted, "make file systems in", directory,
         "making and mounting file systems takes root: sudo freshet filesystems …; --list works without");
}

// A whole number of MiB; the file takes no more than a quarter of the free space.
std::uint64_t choose_volume_size(const filesystems_options& options) {
  constexpr std::uint64_t share_of_space = 4;
  const std::uint64_t most = file_system_at(options.directory).available / share_of_space;
  const std::uint64_t size = std::min(options.volume_size, most) / mebibyte * mebibyte;
  if (size < least_volume)
    refuse(std::errc::no_space_on_device, "make file systems in", options.directory,
           fmt::format("a file of {} at least, a quarter of the free space at most", format_size(least_volume)));
  return size;
}

// Each volume of a kind that can be told how a RAID spreads data also takes part with that.
void add_striped(std::vector<std::string>& volumes, const raid_geometry& raid, volume_place& place) {
  for (const std::string& each : std::vector{volumes}) {
    volume striped = parse_volume(each);
    const std::string option = stripe_option(striped.type, raid);
    if (option.empty()) continue;
    striped.made_with.push_back(option);
    if (const std::string name = name_of(striped); std::ranges::find(volumes, name) == volumes.end())
      volumes.push_back(name);
  }
  place.remarks.push_back(fmt::format("A RAID: chunks of {} on each of {} with data; volumes also with that.",
                                      format_size(raid.chunk), format_count(raid.disks, "disk")));
}

volume_search_setup make_setup(const filesystems_options& options, std::uint64_t volume_size, volume_place& place) {
  volume_search_setup setup = options.setup;
  setup.bytes_to_age = static_cast<std::uint64_t>(written_by_aging * static_cast<double>(volume_size));
  setup.volumes = choose_volumes(options, place.remarks);
  const std::string name = options.device.empty() ? "" : std::filesystem::canonical(options.device).filename().string();
  if (const auto raid = options.raid || name.empty() ? options.raid : find_raid(name))
    add_striped(setup.volumes, *raid, place);
  setup.methods = choose_methods(options);
  setup.vary = options.volumes.empty() && !options.preset;
  const std::uint64_t most = volume_size / share_of_volume / mebibyte * mebibyte;
  if (setup.size > most) {
    setup.size = most;
    place.remarks.push_back(fmt::format("The files have {}, an eighth of the volume.", format_size(most)));
  }
  if (options.preset)
    for (const std::string& remark : options.preset->remarks)
      place.remarks.push_back(fmt::format("{}: {}.", options.preset->name, remark));
  return setup;
}

// What is left out is said first: who misses it ends the command and installs it.
void announce(const filesystems_options& options, const volume_search_setup& setup, const volume_place& place,
              std::uint64_t volume_size) {
  for (const std::string& remark : place.remarks) fmt::print("{}", wrapped(replace_controls(remark)));
  fmt::print(
      "Looking for the fastest file system for {} ({}), {} of {}:\n{} to begin with, {} {}. Takes at most {}, and "
      "writes at most {}.\n",
      to_string(setup.goal),
      setup.goal == volume_goal::large ? "files of " + format_size(setup.size)
      : setup.goal == volume_goal::small
          ? fmt::format("{} files of {}", setup.small_files, format_size(small_file_size))
          : "synced blocks",
      options.device.empty() ? fmt::format("in a file in {}", printable(options.directory.string()))
                             : "on " + options.device,
      format_size(volume_size), format_count(setup.volumes.size(), "volume"), setup.methods.size(),
      setup.methods.size() == 1 ? "method" : "methods", format_duration(setup.seconds), format_size(setup.bytes));
  std::fflush(stdout);
}

volume_search_result measure(const volume_search_setup& setup, volume_runner& runner, run_log& log) {
  progress line;
  const stopwatch watch;
  std::string best = "nothing was found yet";
  volume_source source{.run = [&runner](const std::string& volume,
                                        std::span<const trial_plan> plans) { return runner.run(volume, plans); },
                       .now = [&watch] { return watch.seconds(); },
                       .written = [&runner] { return runner.bytes_written(); },
                       .show =
                           [&](std::string_view state, const race_progress& now) {
                             if (now.best != nullptr && count_usable(*now.best) != 0)
                               best = "best so far " + describe_best(*now.best);
                             line.show(state.empty() ? describe_progress(now.running, now.best)
                                                     : fmt::format("{}: {}", state, now.running.volume),
                                       now.seconds_left);
                           },
                       .keep =
                           [&](const trial_result& trial, trial_purpose purpose, const visit_times& times) {
                             record kept = make_record(trial);
                             set_purpose(kept, purpose);
                             kept.extra["mkfs_seconds"] = times.mkfs;
                             kept.extra["mount_seconds"] = times.mount;
                             kept.extra["umount_seconds"] = times.umount;
                             log.keep(std::move(kept));
                           }};
  try {
    return search_volumes(setup, source);
  } catch (interrupted& signal) {
    signal.so_far = best;
    throw;
  }
}

// Why no plan could be measured at all: each reason once.
void print_why_nothing_worked(std::span<const candidate> candidates) {
  std::set<std::string> reasons;
  for (const candidate& each : candidates)
    if (!each.dropped.empty()) reasons.insert(replace_controls(each.dropped));
  if (reasons.empty()) reasons.insert("--json lists the reasons");
  fmt::print(stderr, "freshet filesystems: no valid trial\n  {}\n", fmt::join(reasons, "\n  "));
}

// On the device that the options name, or on a file of `size`.
int compare_volumes(const filesystems_options& options, const volume_search_setup& setup, volume_place& place,
                    std::uint64_t size, run_log& log) {
  if (options.log.allow_text()) announce(options, setup, place, size);
  const scratch files{options.directory};
  const std::filesystem::path mount_point = files.kept_file(0);
  std::filesystem::create_directory(mount_point);
  std::optional<loop_file> image;
  if (options.device.empty()) {
    progress line;
    line.show(fmt::format("writing a file of {}", format_size(size)), setup.seconds);
    image.emplace(files.kept_file(1), size);
  }
  const std::string device = image ? image->device() : options.device;
  constexpr double share_for_memory = 0.1;
  volume_runner runner{device, mount_point,
                       prepare_machine_memory(mount_point.parent_path(), share_for_memory * setup.seconds)};
  const double flush = measure_flush(device);
  place.remarks.push_back(describe_durability(device, flush));
  const volume_search_result result = measure(setup, runner, log);
  const std::uint64_t written = runner.bytes_written();
  if (!options.device.empty())
    place.remarks.push_back(
        fmt::format("{} holds a file system of the last trial: make the one that you want.", device));
  nlohmann::json document = make_json(result, place);
  document["bytes_written"] = written;
  document["flush_milliseconds"] = flush;
  const int exit_code =
      log.publish(fmt::format("{}{}\n", format_volume_search(result, place, standard_screen(), options.details),
                              format_end(written, setup.seed)),
                  document);
  if (result.interrupted) throw interrupted{noted_interrupt(), "what was found is above"};
  if (!result.verdict.ranking.empty()) return exit_code;
  print_why_nothing_worked(result.candidates);
  return 1;
}

int compare_on_device(const filesystems_options& options) {
  require_expendable(options.device, options.destroy, find_precious_places(options.directory));
  volume_place place{.device = options.device, .below = {}, .remarks = {}};
  const std::uint64_t size = size_of_device(options.device);
  if (size < least_volume)
    refuse(std::errc::no_space_on_device, "compare file systems on", options.device,
           fmt::format("it has {}, and takes {}", format_size(size), format_size(least_volume)));
  const volume_search_setup setup = make_setup(options, size, place);
  detail::os::file_system target;
  target.device_name = std::filesystem::canonical(options.device).filename();
  const device_lock alone{target, print_waiting("filesystems")};
  run_log log{options.log.with_seed(setup.seed), "filesystems", options.directory};
  return compare_volumes(options, setup, place, size, log);
}

int compare_in_file(const filesystems_options& options) {
  const std::uint64_t size = choose_volume_size(options);
  volume_place place;
  const volume_search_setup setup = make_setup(options, size, place);
  run_log log{options.log.with_seed(setup.seed), "filesystems", options.directory};
  const environment& env = log.about().env;
  place.below = env.device.empty() ? env.file_system : fmt::format("{} on {}", env.file_system, env.device);
  return compare_volumes(options, setup, place, size, log);
}

int run_filesystems(const filesystems_options& options) {
  if (options.list) return show_kinds(options);
  require_root(options.directory);
  options.log.require_writable();
  static_cast<void>(file_system_at(options.directory));
  keep_mounts_private();
  return options.device.empty() ? compare_in_file(options) : compare_on_device(options);
}

}  // namespace

void add_filesystems_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "filesystems", run_filesystems, filesystems_footer);
  command.add("DIR", options.directory, "The directory that the file with the file systems is made in");
  command.add("--for", options.setup.goal, make_choices<volume_goal>("a goal"),
              "What counts: large files, small files, or durable small blocks");
  command.add("--time TIME", options.setup.seconds, parse_seconds, "Take no longer than this, 90s, 10m",
              format_seconds_argument);
  std::vector<std::string> known;
  for (const volume_kind& each : volume_kinds()) known.emplace_back(each.type);
  const command_option types = command
                                   .add("--types SYSTEM,...", options.types, parse_list<parse_type>,
                                        "File systems, ext4,xfs,… (all usual ones that this machine has)")
                                   .offer(known);
  command
      .add("--methods METHOD,...", options.methods, parse_list<parse_method>,
           "Methods to write by (all that keep order)")
      .offer(method_names());
  const command_option volume =
      command
          .add_list("--volume SYSTEM", options.volumes, read_volume,
                    "Only this one, as reports name it: \"TYPE MKFS-OPTIONS, MOUNT-OPTIONS\"; may be repeated")
          .take_one_at_a_time()
          .offer(known)
          .exclude(types);
  command.add("--preset PRESET", options.preset, read_preset, "Volumes and methods that were published: w4")
      .exclude(types)
      .exclude(volume);
  command.add("--raid GEOMETRY", options.raid, read_raid,
              "The chunk and the disks with data of the RAID below, 64Kx4: XFS and ext4 also with that (what md says)");
  command.add("--size SIZE", options.setup.size, parse_file_size, "Bytes of large files", format_size_argument);
  command.add("--volume-size SIZE", options.volume_size, parse_file_size, "Bytes of the file with the file systems",
              format_size_argument);
  command.add("--max-bytes SIZE", options.setup.bytes, parse_limit, "Write no more than this in all",
              format_size_argument);
  const command_option device =
      command.add("--device", options.device, "Make the file systems on this block device; all that is on it is lost");
  command.add_flag("--destroy", options.destroy, "Allow that what the device holds is lost").need(device);
  command.add_flag("--list", options.list, "Only list the file systems, and why some cannot be made here");
  add_matters_option(command, options.setup.negligible_share);
  command.add_flag("--details", options.details, "Show all rows, all figures, and what was left out and why");
  add_log_options(command, options.log, "the verdict and all figures");
  add_order_seed_option(command, options.setup.seed);
}

}  // namespace freshet::tool
