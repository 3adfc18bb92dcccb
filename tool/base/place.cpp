#include "tool/base/place.hpp"

#include <fmt/format.h>

#include <freshet/error.hpp>

namespace freshet::tool {

os::file_system look_at(const std::filesystem::path& directory) {
  std::error_code failure;
  os::file_system place = os::file_system_of(directory, failure);
  if (failure) throw error{failure, "look at", directory};
  return place;
}

bool is_in_memory(const os::file_system& place) { return place.type == "tmpfs" || place.type == "ramfs"; }

std::string never_cold(const os::file_system& place) { return fmt::format("{} has its files in memory", place.type); }

}  // namespace freshet::tool
