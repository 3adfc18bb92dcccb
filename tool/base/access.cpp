#include "tool/base/access.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace freshet::tool {

std::error_code why_not_writable(const std::filesystem::path& path) {
  std::error_code unseen;
  const bool exists = std::filesystem::exists(path, unseen);
  // The dot makes the check fail if the parent is not a directory.
  const std::filesystem::path asked = exists ? path : path.parent_path() / ".";
  if (::faccessat(AT_FDCWD, asked.c_str(), exists ? W_OK : W_OK | X_OK, AT_EACCESS) == 0) return {};
  return {errno, std::system_category()};
}

}  // namespace freshet::tool
