// File systems by POSIX.1-2008, which knows their sizes.
#include <sys/statvfs.h>

#include "src/os/file.hpp"
#include "src/os/unix/open_near.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

file_system file_system_of(const std::filesystem::path& path, std::error_code& error) {
  const file directory = open_near(path.empty() ? std::filesystem::path{"."} : path, error);
  if (error) return {};
  file_system result;
  result.device = directory.status(error).device;
  if (error) return {};
  struct statvfs space {};
  make_call({call::status, directory.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fstatvfs(directory.descriptor(), &space); });
  if (error) return {};
  result.available = std::uint64_t{space.f_bavail} * space.f_frsize;
  result.total = std::uint64_t{space.f_blocks} * space.f_frsize;
  result.key = file_system_key(directory);
  result.type = file_system_type(directory);
  return result;
}

bool is_overlay(const file& /*inside*/) noexcept { return false; }

std::optional<device_counters> read_device_counters(const std::string& /*device_name*/) { return std::nullopt; }

}  // namespace freshet::detail::os
