// Two programs that measure on one device disturb each other.
#pragma once

#include <functional>
#include <string>

#include "src/os/file.hpp"

namespace freshet::tool {

/// Holds the device of a file system for one measuring freshet, as long as it lives. The lock is a file in the system's
/// directory of temporary files, which stays; where that cannot be used, and for tmpfs, which has no device, nothing is
/// locked.
class device_lock {
 public:
  /// Waits for other freshets that measure there. @param waits  called once if it has to. @throws interrupted
  device_lock(const detail::os::file_system& place, const std::function<void(const std::string& device)>& waits);

 private:
  detail::os::file lock_;
};

}  // namespace freshet::tool
