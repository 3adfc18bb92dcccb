// Reads the small text files of procfs and sysfs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/os/mount_table.hpp"

namespace freshet::tool {

/// The file's first line without the blanks around it; empty if there is no such file.
[[nodiscard]] std::string read_first_line(const std::filesystem::path& file);

/// The number that the file begins with; empty if there is none.
[[nodiscard]] std::optional<std::int64_t> read_number(const std::filesystem::path& file);

/// The number behind `label` in a file of lines "label value" or "label value kB" (1024 bytes), such as /proc/meminfo,
/// in bytes if it has that unit; empty if there is none.
[[nodiscard]] std::optional<std::uint64_t> read_labelled(const std::filesystem::path& file, std::string_view label);

/// The rest of the first line that begins with `beginning`; empty if there is none.
[[nodiscard]] std::optional<std::string> find_line(const std::filesystem::path& file, std::string_view beginning);

/// What is mounted, as `proc`/self/mountinfo lists it; what was mounted last is the last.
[[nodiscard]] std::vector<detail::os::mount_entry> list_mounts(const std::filesystem::path& proc = "/proc");

/// A line of `proc`/swaps.
struct swap_space {
  std::string name;        ///< "/dev/vda2", "/swapfile"
  std::uint64_t used = 0;  ///< bytes
};
[[nodiscard]] std::vector<swap_space> list_swaps(const std::filesystem::path& proc = "/proc");

/// The directories of this process's control group and of those above it, as far as they are mounted: of version 2, and
/// of the hierarchies of version 1 that have `controller`. `proc`: where procfs is mounted.
[[nodiscard]] std::vector<std::filesystem::path> find_control_groups(std::string_view controller,
                                                                     const std::filesystem::path& proc = "/proc");

}  // namespace freshet::tool
