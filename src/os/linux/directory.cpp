// Directories on Linux: what /proc knows of open files.
#include "src/os/directory.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
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

// Without the right to link a descriptor, or without /proc.
bool is_unreachable(std::error_code why) noexcept {
  return why == std::errc::no_such_file_or_directory || why == std::errc::permission_denied ||
         why == std::errc::invalid_argument;
}

// The descriptor itself can be linked by who opened it (Linux 6.10), before only with a privilege. Its name below /proc
// is slower to find, and may not be there.
void link_open(call kind, int directory, const file& target, const std::string& present, const char* name,
               std::error_code& error) noexcept {
  const auto link_from = [&](int from, const char* path, int flags) {
    make_call({kind, target.descriptor(), 0, 0}, error,
              [&](std::size_t) { return ::linkat(from, path, directory, name, flags); });
  };
  link_from(target.descriptor(), "", AT_EMPTY_PATH);
  if (is_unreachable(error)) link_from(AT_FDCWD, proc_name{target}.text, AT_SYMLINK_FOLLOW);
  if (is_unreachable(error) && !present.empty()) link_from(directory, present.c_str(), 0);
}

}  // namespace

directory directory::containing(const file& inside, const std::string& path, std::error_code& error) noexcept try {
  auto current = std::filesystem::read_symlink(proc_name{inside}.text, error);
  if (error) current = path;
  return open(current.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

// Whatever became of its name, where that can be.
void directory::link(const file& target, const std::string& present, const std::string& name,
                     std::error_code& error) const noexcept {
  link_open(call::link, descriptor_, target, present, name.c_str(), error);
}

void directory::rename_to_free(const std::string& from, const std::string& to, std::error_code& error) const noexcept {
  constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE, which not every C library knows
  make_call({call::rename, -1, 0, 0}, error, [&](std::size_t) {
    return ::syscall(SYS_renameat2, descriptor_, from.c_str(), descriptor_, to.c_str(), no_replace);
  });
}

// Every directory has the name ".": the call that will be made fails for nothing else.
void directory::require_linkable(const file& unnamed, std::error_code& error) const noexcept {
  link_open(call::status, descriptor_, unnamed, {}, ".", error);
  if (error == std::errc::file_exists) error.clear();
}

}  // namespace freshet::detail::os
