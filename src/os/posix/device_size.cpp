// The size of a block device by POSIX.1-2008, which has no call for it but the one that moves the position.
#include <unistd.h>

#include "src/os/unix/system.hpp"

namespace freshet::detail::os {

int device_size(int descriptor, std::uint64_t& bytes) noexcept {
  const off_t position = ::lseek(descriptor, 0, SEEK_CUR);
  const off_t end = position < 0 ? -1 : ::lseek(descriptor, 0, SEEK_END);
  if (end < 0) return -1;
  bytes = static_cast<std::uint64_t>(end);
  return ::lseek(descriptor, position, SEEK_SET) < 0 ? -1 : 0;
}

}  // namespace freshet::detail::os
