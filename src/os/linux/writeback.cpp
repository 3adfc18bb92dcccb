// The seam on Linux: when the page cache writes, and what it keeps.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

constexpr int rwf_dontcache = 0x80;  // Linux 6.14, younger than the headers of Debian 12

// In Linux 6.14 the flag races with writeback, and pages can be damaged; 6.15 switched it off for most file systems.
bool is_dontcache_sound() noexcept {
  static const bool is_sound = [] {
    utsname system{};
    return ::uname(&system) == 0 && is_release_at_least(system.release, 6, 16);
  }();
  return is_sound;
}

// As glibc's pwritev2(), which musl has since 1.2.5: where there is no such call, the flag is what is not supported.
// The kernel joins both halves of the offset.
ssize_t call_pwritev2(int descriptor, const iovec& piece, std::uint64_t offset, int flags) noexcept {
  const ssize_t moved = ::syscall(SYS_pwritev2, descriptor, &piece, 1UL, static_cast<long>(offset),
                                  static_cast<long>(offset >> 32), flags);
  if (moved < 0 && errno == ENOSYS) errno = EOPNOTSUPP;
  return moved;
}

}  // namespace

bool has_writeback_control() noexcept { return true; }

std::size_t file::write_dontcache(std::span<const std::byte> bytes, std::uint64_t offset,
                                  std::error_code& error) noexcept {
  if (!is_dontcache_sound()) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }
  return bytes_moved(
      make_call({call::write_dontcache, descriptor_, offset, bytes.size()}, error, [&](std::size_t length) {
        const iovec piece{const_cast<std::byte*>(bytes.data()), length};
        return call_pwritev2(descriptor_, piece, offset, rwf_dontcache);
      }));
}

void file::start_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::start_writeback, descriptor_, offset, length}, error, [&](std::size_t) {
    // mm/fadvise.c: starts writing what is dirty before it drops what is not. overlayfs hands on this call only.
    if (is_overlay(*this))
      return set_errno(
          ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_DONTNEED));
    return ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(length),
                             SYNC_FILE_RANGE_WRITE);
  });
}

void file::wait_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::wait_writeback, descriptor_, offset, length}, error, [&](std::size_t) {
    if (is_overlay(*this)) return ::fdatasync(descriptor_);
    return ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(length),
                             SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  });
}

}  // namespace freshet::detail::os
