// With the calls of POSIX.1-2008 alone.
#include <fcntl.h>
#include <unistd.h>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

std::optional<int> unnamed_file_flags() noexcept { return {}; }

std::optional<int> unread_directory_flags() noexcept { return {}; }

bool bypasses_page_cache(int /*status_flags*/) noexcept { return false; }

std::int64_t modification_time(const struct stat& entry) noexcept {
  return std::int64_t{entry.st_mtim.tv_sec} * 1'000'000'000 + entry.st_mtim.tv_nsec;
}

// POSIX has locks of processes only: the same process can lock the file once more, and loses the lock when it closes
// any descriptor of the file.
int try_lock(int /*descriptor*/) noexcept { return refuse_call(); }

int release_lock(int /*descriptor*/) noexcept { return refuse_call(); }

int count_ready(int /*descriptor*/, std::uint64_t& bytes) noexcept {
  bytes = 0;
  return refuse_call();
}

int sync_whole_file_system(int /*descriptor*/) noexcept { return refuse_call(); }

}  // namespace freshet::detail::os
