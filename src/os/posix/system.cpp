// With the calls of POSIX.1-2008 alone.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "src/os/unix/system.hpp"

namespace freshet::detail::os {
namespace {

int refuse() noexcept {
  errno = ENOTSUP;
  return -1;
}

}  // namespace

std::optional<int> unnamed_file_flags() noexcept { return {}; }

std::optional<int> unread_directory_flags() noexcept { return {}; }

bool bypasses_page_cache(int /*status_flags*/) noexcept { return false; }

std::int64_t modification_time(const struct stat& entry) noexcept {
  return std::int64_t{entry.st_mtim.tv_sec} * 1'000'000'000 + entry.st_mtim.tv_nsec;
}

int duplicate_onto(int descriptor, int other) noexcept {
  if (::dup2(other, descriptor) < 0) return -1;
  return ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// POSIX has locks of processes only: they keep out others, but not the same process once more.
int try_lock(int descriptor) noexcept {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  const int result = ::fcntl(descriptor, F_SETLK, &whole);
  if (result < 0 && (errno == EACCES || errno == EAGAIN)) errno = EWOULDBLOCK;
  return result;
}

int count_ready(int /*descriptor*/, std::uint64_t& bytes) noexcept {
  bytes = 0;
  return refuse();
}

int sync_whole_file_system(int /*descriptor*/) noexcept { return refuse(); }

}  // namespace freshet::detail::os
