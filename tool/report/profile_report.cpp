#include "tool/report/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "src/os/environment.hpp"
#include "src/pool.hpp"
#include "src/profile_lookup.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/size.hpp"
#include "tool/measure/cold.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

/// Why `name` does not work, as `listed` says.
std::string why_not(const std::vector<method_info>& listed, const std::string& name) {
  const auto at =
      std::find_if(listed.begin(), listed.end(), [&](const method_info& each) { return each.name == name; });
  return at == listed.end() ? "there is no such method" : at->why_not;
}

// The library settles on a method, and falls back to another, when the first block is full.
std::string method_of_writing(const std::filesystem::path& path, io_class what) {
  writer probe{path, {.durability = durability_of(what)}};
  probe.write(std::string(detail::first_block + 1, '\n'));
  std::string name{probe.method()};
  probe.close();
  return name;
}

// The file is much longer than what the kernel reads ahead of its first block, which would have it look cached.
std::string method_of_reading(const std::filesystem::path& path, io_class what) {
  writer content{path};
  content.write(std::string(std::size_t{4} << 20, '\n'));
  content.close();
  what == io_class::cold ? drop_pages(path) : read_into_cache(path);
  reader probe{path};
  probe.skip(detail::first_block);
  static_cast<void>(probe.peek());
  return std::string{probe.method()};
}

/// Opens a file of each class, so that what is shown is what a program gets.
void try_classes(profile_report& report) {
  try {
    const auto listed = methods(report.directory);
    const scratch place{report.directory};
    for (const io_class each : all_classes) {
      profiled_class& made = report.classes[static_cast<std::size_t>(each)];
      if (made.winner) made.why_not = why_not(listed, made.winner->method);
      if (each == io_class::cold && is_in_memory(report.here)) continue;
      made.opened_with = reads(each) ? method_of_reading(place.file(0), each) : method_of_writing(place.file(0), each);
    }
  } catch (const error& fault) {
    report.untried = fault.what();
  }
}

std::optional<write_settings> winner_of(const file_system_profile& entry, io_class what) {
  if (!reads(what)) return entry.winners[static_cast<std::size_t>(durability_of(what))];
  const auto& winner = what == io_class::cold ? entry.cold : entry.warm;
  if (!winner) return {};
  return write_settings{winner->method, winner->block, winner->depth, false};
}

std::string describe_winner(const write_settings& winner) {
  std::string text = winner.method;
  if (winner.block != 0) text += " " + format_size(winner.block);
  if (winner.depth != 0) text += fmt::format(" x {}", winner.depth);
  if (winner.reserve) text += ", space set aside";
  return text;
}

std::string describe_class(const profiled_class& one) {
  if (!one.winner) {
    return "not measured" + (one.opened_with.empty() ? "" : "; files are opened with " + one.opened_with);
  }
  std::string text = describe_winner(*one.winner);
  if (!one.why_not.empty()) text += "; does not work here now: " + one.why_not;
  if (!one.opened_with.empty() && one.opened_with != one.winner->method) {
    text += "; files are opened with " + one.opened_with;
  }
  return text;
}

}  // namespace

std::vector<stale_mark> stale_marks(const file_system_profile& entry, const detail::os::file_system& here,
                                    std::string_view kernel) {
  std::vector<stale_mark> marks;
  const auto compare = [&](std::string_view what, std::string_view measured, std::string_view now) {
    if (!measured.empty() && measured != now) {
      marks.push_back({std::string{what}, std::string{measured}, std::string{now}});
    }
  };
  compare("kernel", entry.kernel, kernel);
  compare("type", entry.type, here.type);
  compare("mount options", entry.mount_options, here.mount_options);
  return marks;
}

profile_report inspect_profile(const std::filesystem::path& directory) {
  std::error_code code;
  profile_report report;
  report.directory = directory;
  report.here = detail::os::file_system_of(directory, code);
  if (!code && !std::filesystem::is_directory(directory, code) && !code) {
    code = make_error_code(std::errc::not_a_directory);
  }
  if (code) throw error{code, "look at", directory};
  report.kernel = detail::os::kernel_release();

  const detail::profile_stack stack = detail::read_profiles();
  report.warnings = stack.warnings;
  for (const auto& path : profile_search_path()) {
    const auto read = std::find_if(stack.profiles.begin(), stack.profiles.end(),
                                   [&](const profile& each) { return each.path == path; });
    const bool there = read != stack.profiles.end();
    report.places.push_back({path, there, there ? read->file_systems.size() : 0});
  }
  if (const auto found = stack.find(report.here.key); found.entry != nullptr) {
    report.entry = *found.entry;
    report.from = found.from->path;
    report.stale = stale_marks(*found.entry, report.here, report.kernel);
    for (const io_class each : all_classes)
      report.classes[static_cast<std::size_t>(each)].winner = winner_of(*found.entry, each);
  }
  try_classes(report);
  return report;
}

std::string describe(const profile_report& report) {
  std::string text = "Profile files, the first entry found counts:\n";
  if (report.places.empty()) text += "  none (FRESHET_PROFILE)\n";
  for (const auto& place : report.places) {
    text += fmt::format("  {}: {}\n", place.path.string(),
                        place.read ? fmt::format("{} measured", place.file_systems) : "not read");
  }
  text += fmt::format("{} lies on {} ({}), mounted on {} with {}\n", report.directory.string(), report.here.type,
                      report.here.key, report.here.mount_point, report.here.mount_options);
  if (report.entry) {
    text += fmt::format("Its entry is from {}, measured {} with files of {}:\n", report.from.string(),
                        report.entry->measured.empty() ? "at an unknown time" : report.entry->measured,
                        format_size(report.entry->size));
  } else {
    text += "It has no entry: `freshet tune` makes one. Until then:\n";
  }
  for (const io_class each : all_classes) {
    text +=
        fmt::format("  {:<10}  {}\n", to_string(each), describe_class(report.classes[static_cast<std::size_t>(each)]));
  }
  if (!report.untried.empty()) text += fmt::format("  No file could be opened there: {}\n", report.untried);
  for (const auto& mark : report.stale) {
    text += fmt::format("Stale: {} was \"{}\" when measured, is \"{}\" now\n", mark.what, mark.measured, mark.now);
  }
  return text;
}

void to_json(nlohmann::json& out, const profile_report& report) {
  out = {{"directory", report.directory.string()},
         {"file_system",
          {{"key", report.here.key},
           {"type", report.here.type},
           {"mount_point", report.here.mount_point},
           {"mount_options", report.here.mount_options}}},
         {"kernel", report.kernel},
         {"entry", nullptr},
         {"untried", report.untried},
         {"files", nlohmann::json::array()},
         {"classes", nlohmann::json::object()},
         {"stale", nlohmann::json::array()},
         {"warnings", report.warnings}};
  for (const auto& place : report.places) {
    out["files"].push_back({{"path", place.path.string()}, {"read", place.read}, {"file_systems", place.file_systems}});
  }
  if (report.entry) {
    out["entry"] = {{"from", report.from.string()},
                    {"type", report.entry->type},
                    {"mount_options", report.entry->mount_options},
                    {"kernel", report.entry->kernel},
                    {"measured", report.entry->measured},
                    {"size", report.entry->size}};
  }
  for (const io_class each : all_classes) {
    const profiled_class& one = report.classes[static_cast<std::size_t>(each)];
    nlohmann::json& made = out["classes"][to_string(each)];
    made = {{"winner", nullptr}, {"why_not", one.why_not}, {"opened_with", one.opened_with}};
    if (one.winner) {
      made["winner"] = {{"method", one.winner->method}, {"block", one.winner->block}, {"depth", one.winner->depth}};
      if (!reads(each)) made["winner"]["reserve"] = one.winner->reserve;
    }
  }
  for (const auto& mark : report.stale) {
    out["stale"].push_back({{"what", mark.what}, {"measured", mark.measured}, {"now", mark.now}});
  }
}

}  // namespace freshet::tool
