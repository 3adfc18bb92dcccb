// The seam on Linux: space before it is used.
#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

void file::preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::preallocate, descriptor_, offset, length}, error, [&](std::size_t) {
    return ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length));
  });
}

// Truncating a file to its own size frees the space beyond it on ext4, XFS, btrfs and tmpfs; punching a hole there does
// nothing on ext4.
void file::free_preallocation(std::uint64_t size, std::error_code& error) noexcept {
  make_call({call::free_preallocation, descriptor_, size, 0}, error,
            [&](std::size_t) { return ::ftruncate(descriptor_, static_cast<off_t>(size)); });
}

}  // namespace freshet::detail::os
