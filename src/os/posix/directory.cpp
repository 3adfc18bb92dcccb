// Directories where nothing tells what an open file is called now.
#include "src/os/directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <new>
#include <string>

#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

directory directory::containing(const file& /*inside*/, const std::string& path, std::error_code& error) noexcept try {
  return open(std::filesystem::path{path}.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

void directory::link(const file& target, const std::string& present, const std::string& name,
                     std::error_code& error) const noexcept {
  if (present.empty()) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return;
  }
  make_call({call::link, target.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::linkat(descriptor_, present.c_str(), descriptor_, name.c_str(), 0); });
}

}  // namespace freshet::detail::os
