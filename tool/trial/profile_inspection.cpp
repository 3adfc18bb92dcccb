#include "tool/trial/profile_inspection.hpp"

#include <algorithm>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "src/base/pool.hpp"
#include "src/os/environment.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/measure/cold.hpp"

namespace freshet::tool {
namespace {

std::string find_fault(const std::vector<method_info>& listed, const std::string& name) {
  const auto at =
      std::find_if(listed.begin(), listed.end(), [&](const method_info& each) { return each.name == name; });
  return at == listed.end() ? "there is no such method" : at->why_not;
}

// The library chooses the method, and falls back to another if necessary, when the first block is full.
std::string find_writing_method(const std::filesystem::path& path, io_class measured_class) {
  writer probe{path, {.durability = durability_of(measured_class)}};
  probe.write(std::string(detail::small_file + 1, '\n'));
  std::string name{probe.method()};
  probe.close();
  return name;
}

// The file must be much longer than the kernel's read-ahead of its first block, or it would look cached.
std::string find_reading_method(const std::filesystem::path& path, io_class measured_class) {
  writer content{path};
  content.write(std::string(std::size_t{4} << 20, '\n'));
  content.close();
  measured_class == io_class::cold ? drop_pages(path) : read_into_cache(path);
  reader probe{path};
  probe.skip(detail::small_file);
  static_cast<void>(probe.peek());
  return std::string{probe.method()};
}

// Opens a file of each class, to report what a program really gets.
void try_classes(profile_inspection& report) {
  try {
    const auto listed = methods(report.directory);
    const scratch place{report.directory};
    for (const io_class each : all_classes) {
      profiled_class& profiled = report.classes[static_cast<std::size_t>(each)];
      if (profiled.winner) profiled.why_not = find_fault(listed, profiled.winner->method);
      if (each == io_class::cold && is_in_memory(report.file_system)) continue;
      const auto path = place.file(0);
      profiled.opened_with = reads(each) ? find_reading_method(path, each) : find_writing_method(path, each);
    }
  } catch (const error& fault) {
    report.untried = fault.what();
  }
}

std::optional<write_settings> find_winner(const file_system_profile& entry, io_class measured_class) {
  if (!reads(measured_class)) return entry.winners[static_cast<std::size_t>(durability_of(measured_class))];
  const auto& winner = measured_class == io_class::cold ? entry.cold : entry.warm;
  if (!winner) return {};
  return write_settings{.method = winner->method,
                        .block = winner->block,
                        .depth = winner->depth,
                        .provisional = winner->provisional,
                        .fixed = winner->fixed,
                        .measured = winner->measured};
}

}  // namespace

std::vector<stale_mark> find_stale_marks(const file_system_profile& entry, const detail::os::file_system& file_system,
                                         std::string_view kernel) {
  std::vector<stale_mark> marks;
  const auto compare = [&](std::string_view property, std::string_view measured, std::string_view now) {
    if (!measured.empty() && measured != now)
      marks.push_back({std::string{property}, std::string{measured}, std::string{now}});
  };
  compare("kernel", entry.kernel, kernel);
  compare("type", entry.type, file_system.type);
  compare("mount options", entry.mount_options, file_system.mount_options);
  return marks;
}

profile_inspection inspect_profile(const std::filesystem::path& directory) {
  std::error_code code;
  profile_inspection report;
  report.directory = directory;
  report.file_system = detail::os::file_system_of(directory, code);
  if (!code && !std::filesystem::is_directory(directory, code) && !code)
    code = make_error_code(std::errc::not_a_directory);
  if (code) throw error{code, "inspect", directory};
  report.kernel = detail::os::kernel_release();

  const detail::profile_stack stack = detail::read_profiles();
  report.warnings = stack.warnings;
  for (const auto& path : profile_search_path()) {
    const auto read = std::find_if(stack.profiles.begin(), stack.profiles.end(),
                                   [&](const profile& each) { return each.path == path; });
    const bool was_read = read != stack.profiles.end();
    report.places.push_back({path, was_read, was_read ? read->file_systems.size() : 0});
  }
  if (const auto match = stack.find(report.file_system.key); match.entry != nullptr) {
    report.entry = *match.entry;
    report.from = match.from->path;
    report.stale = find_stale_marks(*match.entry, report.file_system, report.kernel);
    for (const io_class each : all_classes)
      report.classes[static_cast<std::size_t>(each)].winner = find_winner(*match.entry, each);
  }
  try_classes(report);
  return report;
}

}  // namespace freshet::tool
