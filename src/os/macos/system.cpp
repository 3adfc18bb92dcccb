// What macOS does in its own way: descriptors, and what is on the device. fsync() ends when the drive has the data,
// which may then be in the drive's own cache only, and so does O_DSYNC.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

// How file systems answer that do not know a command: XNU itself takes these three for that (bsd/kern/kern_descrip.c,
// F_BARRIERFSYNC). Any other error is the device's, and fsync() could only hide it.
bool is_unknown_command(int number) noexcept { return number == ENOTSUP || number == ENOTTY || number == EINVAL; }

}  // namespace

std::optional<int> unnamed_file_flags() noexcept { return {}; }

std::optional<int> unread_directory_flags() noexcept { return O_SEARCH; }

// F_NOCACHE is none of the status flags that programs are told of.
bool bypasses_page_cache(int /*status_flags*/) noexcept { return false; }

std::int64_t modification_time(const struct stat& entry) noexcept {
  return std::int64_t{entry.st_mtimespec.tv_sec} * 1'000'000'000 + entry.st_mtimespec.tv_nsec;
}

bool has_synchronous_writes() noexcept { return false; }

int sync_to_device(int descriptor) noexcept {
  const int result = ::fcntl(descriptor, F_FULLFSYNC);
  return result < 0 && is_unknown_command(errno) ? ::fsync(descriptor) : result;
}

int sync_data_to_device(int descriptor) noexcept { return sync_to_device(descriptor); }

int sync_whole_file_system(int descriptor) noexcept {
  return ::fsync_volume_np(descriptor, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
}

// There is no call for a part of a file.
void file::wait_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::wait_writeback, descriptor_, offset, length}, error,
            [&](std::size_t) { return ::fsync(descriptor_); });
}

}  // namespace freshet::detail::os
