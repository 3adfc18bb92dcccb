// Directories on Linux: what /proc knows of open files.
#include "src/os/directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <string>

#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

/// The name below /proc of an open file.
struct proc_name {
  explicit proc_name(const file& open) noexcept {
    std::snprintf(text, sizeof text, "/proc/self/fd/%d", open.descriptor());
  }
  char text[32] = {};
};

}  // namespace

directory directory::containing(const file& inside, const std::string& path, std::error_code& error) noexcept try {
  auto current = std::filesystem::read_symlink(proc_name{inside}.text, error);
  if (error) current = path;
  return open(current.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

// Whatever became of its name.
void directory::link(const file& target, const std::string& /*present*/, const std::string& name,
                     std::error_code& error) const noexcept {
  // Linking the descriptor itself (AT_EMPTY_PATH) requires a privilege; linking its name below /proc does not.
  make_call({call::link, target.descriptor(), 0, 0}, error, [&](std::size_t) {
    return ::linkat(AT_FDCWD, proc_name{target}.text, descriptor_, name.c_str(), AT_SYMLINK_FOLLOW);
  });
}

}  // namespace freshet::detail::os
