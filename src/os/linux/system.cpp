#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#include "src/os/linux/ioctl.hpp"
#include "src/os/unix/system.hpp"

namespace freshet::detail::os {

std::optional<int> unnamed_file_flags() noexcept { return O_TMPFILE; }

std::optional<int> unread_directory_flags() noexcept { return O_PATH; }

bool bypasses_page_cache(int status_flags) noexcept { return (status_flags & O_DIRECT) != 0; }

std::int64_t modification_time(const struct stat& entry) noexcept {
  return std::int64_t{entry.st_mtim.tv_sec} * 1'000'000'000 + entry.st_mtim.tv_nsec;
}

int duplicate_onto(int descriptor, int other) noexcept { return ::dup3(other, descriptor, O_CLOEXEC); }

int device_size(int descriptor, std::uint64_t& bytes) noexcept { return ask_ioctl(descriptor, BLKGETSIZE64, &bytes); }

int sync_whole_file_system(int descriptor) noexcept { return ::syncfs(descriptor); }

}  // namespace freshet::detail::os
