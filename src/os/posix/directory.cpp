// Directories where nothing tells what an open file is called now.
#include "src/os/directory.hpp"

#include <filesystem>
#include <new>
#include <string>

namespace freshet::detail::os {

directory directory::containing(const file& /*inside*/, const std::string& path, std::error_code& error) noexcept try {
  return open(std::filesystem::path{path}.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

}  // namespace freshet::detail::os
