// How file systems are known by POSIX.1-2008, which has a number for each.
#include <sys/statvfs.h>

#include <array>
#include <charconv>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

std::string file_system_key(const file& inside) {
  std::error_code error;
  struct statvfs space {};
  make_call({call::status, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fstatvfs(inside.descriptor(), &space); });
  if (error) return {};
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), std::uint64_t{space.f_fsid}, 16).ptr;
  return "fsid:" + std::string{digits.begin(), end};
}

std::string file_system_type(const file& /*inside*/) { return {}; }

bool is_in_memory(const file& /*inside*/) noexcept { return false; }

bool names_file_system(std::uint64_t /*device*/) noexcept { return true; }

bool is_local(const file& /*inside*/) noexcept { return false; }

}  // namespace freshet::detail::os
