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
  std::string root;  ///< the directory of the file system that is mounted: "/", unless only a part of it is
  std::string mount_point;
  std::string options;  ///< those of the mount and of the file system, each once
  std::string type;
  std::string source;  ///< what was mounted, usually a device's path
};

/// Parses one line; empty if it is malformed.
[[nodiscard]] std::optional<mount_entry> parse_mount(std::string_view line);

/// Finds a mount by its number; empty if it is not visible.
[[nodiscard]] std::optional<mount_entry> find_mount(std::uint64_t id);
/// Finds the latest mount of a device.
[[nodiscard]] std::optional<mount_entry> find_mount_of_device(unsigned major, unsigned minor);

}  // namespace freshet::detail::os
