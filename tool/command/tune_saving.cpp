#include "tool/command/tune_saving.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/profile.hpp>

#include "src/os/file.hpp"
#include "src/profile/profile_text.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/search/profile_choice.hpp"

namespace freshet::tool {
namespace {

// The entry of that file system in the profile at `path`; an empty one if there is none.
file_system_profile read_entry(const std::filesystem::path& path, const std::string& key) {
  const profile before = read_profile(path);
  const auto old = before.file_systems.find(key);
  return old == before.file_systems.end() ? file_system_profile{} : old->second;
}

void save_entry(const std::filesystem::path& path, file_system_profile entry, const environment& env) {
  std::error_code unseen;
  const bool was_there = std::filesystem::exists(path, unseen);
  const detail::os::file_status before_saving = detail::os::status_of(path, unseen);
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

std::string describe_change(const profile_change& change, const std::filesystem::path& path) {
  if (change.saved.empty() && change.removed.empty())
    return fmt::format("The profile {} keeps its ways, with what was measured of them now.", printable(path.string()));
  if (change.saved.empty())
    return fmt::format("Removed from the profile {} what is slower than what programs get by themselves.",
                       printable(path.string()));
  return fmt::format("Saved in the profile {}: programs that open files with freshet use it from now on.",
                     printable(path.string()));
}

std::string describe_no_change(const profile_change& change) {
  if (!change.kept.empty())
    return "Nothing was saved: the profile has a settled way, which an answer that is not settled does not replace.";
  const bool has_ways = change.entry.cold || change.entry.warm ||
                        std::ranges::any_of(change.entry.winners, [](const auto& way) { return way.has_value(); });
  return has_ways ? "Nothing was saved: what the profile has stays." : "Nothing was saved: there is nothing to change.";
}

}  // namespace

std::filesystem::path profile_path(bool system) {
  if (system) return system_profile_path();
  const std::vector<std::filesystem::path> places = profile_search_path();
  std::filesystem::path path = places.empty() ? user_profile_path() : places.front();
  return path == system_profile_path() ? std::filesystem::path{} : path;
}

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

saving save_answers(const std::filesystem::path& path, const tuning& result, const environment& env) {
  const bool answers = std::ranges::any_of(
      result.classes, [](const class_result& each) { return choose_for_profile(each).way != nullptr; });
  if (path.empty())
    return {.told = answers ? "Not saved: neither HOME nor XDG_CONFIG_HOME is set; --system saves for all users."
                            : "Nothing was saved: there is nothing to change."};
  try {
    std::error_code unseen;
    const profile_change change = change_profile(
        result, std::filesystem::exists(path, unseen) ? read_entry(path, env.file_system_key) : file_system_profile{});
    if (!change.changes_anything()) return {.told = describe_no_change(change)};
    save_entry(path, change.entry, env);
    return {.saved = true, .told = describe_change(change, path)};
  } catch (const error& failure) {
    return {.told = "Nothing was saved.", .failure = failure.what()};
  }
}

}  // namespace freshet::tool
