#include "tool/base/plain_path.hpp"

namespace freshet::tool {

std::filesystem::path plain(const std::filesystem::path& directory) {
  const std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace freshet::tool
