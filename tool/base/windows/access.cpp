#include "tool/base/access.hpp"

#include <io.h>

#include <cerrno>

namespace freshet::tool {

// Who may write is known only when a file is opened: this finds the attribute "read-only", and directories that are not
// there.
std::error_code why_not_writable(const std::filesystem::path& path) {
  constexpr int may_write = 2;
  constexpr int is_there = 0;
  std::error_code unseen;
  const bool exists = std::filesystem::exists(path, unseen);
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : L".";
  if (!exists && !std::filesystem::is_directory(parent, unseen))
    return std::make_error_code(std::filesystem::exists(parent, unseen) ? std::errc::not_a_directory
                                                                        : std::errc::no_such_file_or_directory);
  if (::_waccess(exists ? path.c_str() : parent.c_str(), exists ? may_write : is_there) == 0) return {};
  return {errno, std::generic_category()};
}

}  // namespace freshet::tool
