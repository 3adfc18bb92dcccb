// The process's mounts, as /proc/self/mountinfo lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace freshet::detail::os {

/// One line of the list.
struct mount_entry {
  std::uint64_t id = 0;
  unsigned major = 0;
  unsigned minor = 0;
  std::string mount_point;
  std::string options;  ///< the mount's own and the file system's, each once
  std::string type;
  std::string source;  ///< what was mounted: a device's path, mostly
};

/// Reads one line; empty where it is not one.
[[nodiscard]] std::optional<mount_entry> parse_mount(std::string_view line);

/// Looks a mount up by its number; empty where it is not to be seen.
[[nodiscard]] std::optional<mount_entry> find_mount(std::uint64_t id);
/// Looks a mount up by its device, the latest of several.
[[nodiscard]] std::optional<mount_entry> find_mount_of_device(unsigned major, unsigned minor);

}  // namespace freshet::detail::os
