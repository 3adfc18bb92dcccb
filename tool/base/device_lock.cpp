#include "tool/base/device_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

// Neither follows a link that somebody else may have put there, nor writes to the file: any user may lock it.
int open_lock(const std::filesystem::path& path) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int descriptor = ::open(path.c_str(), flags);
  return descriptor >= 0 ? descriptor : ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0444);
}

}  // namespace

device_lock::device_lock(const detail::os::file_system& place,
                         const std::function<void(const std::string& device)>& waits) {
  if (place.type == "tmpfs") return;
  const std::string device = place.device_name.empty() ? place.type : place.device_name;
  std::string name = place.device_name.empty() ? place.key : place.device_name;
  std::ranges::replace(name, '/', '-');
  std::error_code failure;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(failure);
  if (failure) return;
  const int descriptor = open_lock(temporary / fmt::format("freshet-measures-on-{}.lock", name));
  if (descriptor < 0) return;
  lock_ = detail::os::file::wrap(descriptor, true);
  lock_.lock(failure);
  if (failure != std::errc::operation_would_block) return;
  waits(device);
  constexpr double pause = 0.1;
  while (failure == std::errc::operation_would_block) {
    sleep_interruptibly(pause);
    lock_.lock(failure);
  }
}

}  // namespace freshet::tool
