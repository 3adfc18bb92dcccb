// What is on the device, by POSIX.1-2008.
#include <unistd.h>

#include "src/os/unix/system.hpp"

namespace freshet::detail::os {

bool has_synchronous_writes() noexcept { return true; }

int sync_data_to_device(int descriptor) noexcept { return ::fdatasync(descriptor); }

int sync_to_device(int descriptor) noexcept { return ::fsync(descriptor); }

}  // namespace freshet::detail::os
