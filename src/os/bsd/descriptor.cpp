// Descriptors by calls that come from BSD: Linux and macOS have them, POSIX has not.
#include <sys/file.h>
#include <sys/ioctl.h>

#include "src/os/unix/system.hpp"

namespace freshet::detail::os {

int try_lock(int descriptor) noexcept { return ::flock(descriptor, LOCK_EX | LOCK_NB); }

int release_lock(int descriptor) noexcept { return ::flock(descriptor, LOCK_UN); }

int count_ready(int descriptor, std::uint64_t& bytes) noexcept {
  int count = 0;
  const int result = ::ioctl(descriptor, FIONREAD, &count);
  bytes = result < 0 || count < 0 ? 0 : static_cast<std::uint64_t>(count);
  return result;
}

}  // namespace freshet::detail::os
