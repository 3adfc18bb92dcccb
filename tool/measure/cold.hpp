// Files that the page cache does not hold, proven.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace freshet::tool {

/// What became of an attempt to have files out of memory.
struct eviction {
  bool proven = false;              ///< no page of any of them is in memory
  std::vector<std::string> faults;  ///< why not, where it is not; each names a file or the system's answer
  std::vector<std::string> gaps;    ///< what may still be in memory for want of a privilege: names and inodes
};

/// Writes out what the files' file system holds, has their pages dropped (posix_fadvise), proves that they are gone
/// (cachestat, else mincore), and then, where this user may, has the kernel drop names and inodes, too (drop_caches).
/// @throws freshet::error  when a file can't be opened; interrupted
[[nodiscard]] eviction evict(std::span<const std::filesystem::path> files);

}  // namespace freshet::tool
