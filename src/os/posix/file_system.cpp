// File systems by POSIX.1-2008, which knows their sizes and a number for each.
#include <sys/statvfs.h>

#include <array>
#include <charconv>

#include "src/os/file.hpp"
#include "src/os/unix/open_near.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

struct statvfs ask_space(const file& inside, std::error_code& error) noexcept {
  struct statvfs space {};
  make_call({call::status, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fstatvfs(inside.descriptor(), &space); });
  return space;
}

}  // namespace

file_system file_system_of(const std::filesystem::path& path, std::error_code& error) {
  const file directory = open_near(path.empty() ? std::filesystem::path{"."} : path, error);
  if (error) return {};
  file_system result;
  result.device = directory.status(error).device;
  if (error) return {};
  const struct statvfs space = ask_space(directory, error);
  if (error) return {};
  result.available = std::uint64_t{space.f_bavail} * space.f_frsize;
  result.total = std::uint64_t{space.f_blocks} * space.f_frsize;
  result.key = file_system_key(directory);
  return result;
}

std::string file_system_key(const file& inside) {
  std::error_code error;
  const struct statvfs space = ask_space(inside, error);
  if (error) return {};
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), std::uint64_t{space.f_fsid}, 16).ptr;
  return "fsid:" + std::string{digits.begin(), end};
}

std::string file_system_type(const file& /*inside*/) { return {}; }

bool is_in_memory(const file& /*inside*/) noexcept { return false; }

bool is_overlay(const file& /*inside*/) noexcept { return false; }

std::optional<device_counters> read_device_counters(const std::string& /*device_name*/) { return std::nullopt; }

}  // namespace freshet::detail::os
