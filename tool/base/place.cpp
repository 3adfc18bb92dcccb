#include "tool/base/place.hpp"

#include <fmt/format.h>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {

std::filesystem::path normalize_directory(const std::filesystem::path& directory) {
  const std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

std::vector<std::filesystem::path> list_entries(const std::filesystem::path& directory, std::error_code& failure) {
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator each{directory, failure}, end; !failure && each != end;
       each.increment(failure))
    entries.push_back(each->path());
  return entries;
}

std::vector<std::filesystem::path> list_entries(const std::filesystem::path& directory) {
  std::error_code unseen;
  return list_entries(directory, unseen);
}

std::filesystem::path user_directory(const char* variable, std::string_view below_home) {
  // The specification says that relative paths are invalid and must be ignored.
  std::filesystem::path named = detail::os::secure_environment(variable).value_or("");
  if (named.is_absolute()) return named;
  const std::filesystem::path home = detail::os::secure_environment("HOME").value_or("");
  return home.is_absolute() ? home / below_home : std::filesystem::path{};
}

detail::os::file_system file_system_at(const std::filesystem::path& path) {
  std::error_code failure;
  detail::os::file_system place = detail::os::file_system_of(path, failure);
  if (failure) throw error{failure, "look at", path};
  return place;
}

bool is_in_memory(const detail::os::file_system& place) { return place.type == "tmpfs" || place.type == "ramfs"; }

std::string why_never_cold(const detail::os::file_system& place) {
  return fmt::format("{} has its files in memory", place.type);
}

void refuse(std::errc code, std::string_view operation, const std::filesystem::path& path, const std::string& reason) {
  throw error{std::make_error_code(code), operation, path, error::no_offset, reason};
}

void require_space(const std::filesystem::path& directory, std::uint64_t bytes) {
  const detail::os::file_system place = file_system_at(directory);
  if (bytes <= place.available) return;
  refuse(std::errc::no_space_on_device, "reserve", directory,
         fmt::format("{} are wanted and {} free; --force tries nevertheless", format_size(bytes),
                     format_size(place.available)));
}

void require_budget(const std::filesystem::path& place, std::uint64_t bytes, std::uint64_t budget) {
  if (bytes <= budget) return;
  refuse(std::errc::file_too_large, "measure in", place,
         fmt::format("{} would be written, which is more than --max-bytes allows, {}", format_size(bytes),
                     format_size(budget)));
}

}  // namespace freshet::tool
