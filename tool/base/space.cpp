#include "tool/base/space.hpp"

#include <fmt/format.h>

#include <freshet/error.hpp>

#include "tool/base/place.hpp"
#include "tool/base/size.hpp"

namespace freshet::tool {

void require_space(const std::filesystem::path& directory, std::uint64_t bytes) {
  const os::file_system place = look_at(directory);
  if (bytes <= place.available) return;
  throw error{std::make_error_code(std::errc::no_space_on_device), "reserve", directory, error::no_offset,
              fmt::format("{} are wanted and {} free; --force tries nevertheless", format_size(bytes),
                          format_size(place.available))};
}

void require_budget(const std::filesystem::path& place, std::uint64_t bytes, std::uint64_t most) {
  if (bytes <= most) return;
  throw error{std::make_error_code(std::errc::file_too_large), "measure in", place, error::no_offset,
              fmt::format("{} would be written, which is more than --max-bytes allows, {}", format_size(bytes),
                          format_size(most))};
}

}  // namespace freshet::tool
