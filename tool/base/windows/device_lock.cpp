#include "tool/base/device_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {

// The directory of temporary files is the user's own: the lock is for this user's commands.
device_lock::device_lock(const detail::os::file_system& place,
                         const std::function<void(const std::string& device)>& waits) {
  std::string name = place.key;
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '/' || c == '\\'; }, '-');
  std::error_code failure;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(failure);
  if (failure) return;
  lock_ = detail::os::file::open(temporary / fmt::format("freshet-measures-on-{}.lock", name),
                                 {.creation = detail::os::open_request::disposition::create}, failure);
  if (failure) return;
  lock_.lock(failure);
  if (failure != std::errc::operation_would_block) return;
  waits(place.mount_point);
  constexpr double pause = 0.1;
  while (failure == std::errc::operation_would_block) {
    sleep_interruptibly(pause);
    lock_.lock(failure);
  }
}

}  // namespace freshet::tool
