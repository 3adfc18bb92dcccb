// The seam by POSIX.1-2008: the status of files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

file_kind kind_of(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return file_kind::regular;
    case S_IFDIR:
      return file_kind::directory;
    case S_IFIFO:
      return file_kind::pipe;
    case S_IFSOCK:
      return file_kind::socket;
    case S_IFCHR:
      return file_kind::character_device;
    case S_IFBLK:
      return file_kind::block_device;
    default:
      return file_kind::other;
  }
}

file_status to_status(const struct stat& entry) noexcept {
  return {.kind = kind_of(entry.st_mode),
          .size = static_cast<std::uint64_t>(entry.st_size),
          .allocated = static_cast<std::uint64_t>(entry.st_blocks) * 512,
          .device = static_cast<std::uint64_t>(entry.st_dev),
          .inode = entry.st_ino,
          .modified = modification_time(entry),
          .links = entry.st_nlink,
          .is_own = entry.st_uid == ::geteuid()};
}

}  // namespace

file_status directory::status_of(const std::string& name, std::error_code& error) const noexcept {
  struct stat entry {};
  make_call({call::status, descriptor_, 0, 0}, error,
            [&](std::size_t) { return ::fstatat(descriptor_, name.c_str(), &entry, AT_SYMLINK_NOFOLLOW); });
  return error ? file_status{} : to_status(entry);
}

file_status file::status(std::error_code& error) const noexcept {
  struct stat entry {};
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) { return ::fstat(descriptor_, &entry); });
  file_status found = error ? file_status{} : to_status(entry);
  if (found.kind == file_kind::block_device)
    make_call({call::status, descriptor_, 0, 0}, error,
              [&](std::size_t) { return device_size(descriptor_, found.size); });
  return found;
}

file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept {
  struct stat entry {};
  make_call({call::status, -1, 0, 0}, error, [&](std::size_t) { return ::stat(path.c_str(), &entry); });
  return error ? file_status{} : to_status(entry);
}

bool may_be_device(const std::string& path) noexcept {
  return path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
}

// For the effective user, like open().
void require_readable(const std::filesystem::path& path, std::error_code& error) noexcept {
  make_call({call::status, -1, 0, 0}, error,
            [&](std::size_t) { return ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS); });
}

}  // namespace freshet::detail::os
