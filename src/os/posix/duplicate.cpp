// A descriptor that comes to mean another open file, in two calls.
#include <fcntl.h>
#include <unistd.h>

#include "src/os/unix/system.hpp"

namespace freshet::detail::os {

int duplicate_onto(int descriptor, int other) noexcept {
  if (::dup2(other, descriptor) < 0) return -1;
  return ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace freshet::detail::os
