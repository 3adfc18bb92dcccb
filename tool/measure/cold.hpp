// Files that the page cache does not hold, proven; and files that it does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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

/// Writes out what the files' file systems hold, has their pages dropped (posix_fadvise), proves that they are gone
/// (cachestat, else mincore), and then, where they are and this user may, has the kernel drop all that it has cached of
/// any file system, names and inodes, too (drop_caches).
/// @throws freshet::error  when a file can't be opened, or a file system can't write; interrupted
[[nodiscard]] eviction evict(std::span<const std::filesystem::path> files);

/// Writes out `path` and has the page cache let go of it, as far as it can. Proves nothing. @throws freshet::error
void drop_pages(const std::filesystem::path& path);

/// The same for all of `files`, and looks whether they are gone. Returns why not; empty: they are. What fails has
/// failed here: no error is thrown for it. @throws interrupted
[[nodiscard]] std::string drop_all_pages(std::span<const std::filesystem::path> files);

/// Has the page cache take in all of `path`, as far as it can. @throws freshet::error; interrupted
void read_into_cache(const std::filesystem::path& path);

/// Bytes of `path` that the page cache holds; nothing where this user is not told, who neither owns it nor may write
/// it.
/// @throws freshet::error
[[nodiscard]] std::optional<std::uint64_t> told_bytes_in_cache(const std::filesystem::path& path);

/// Bytes of `path` that the page cache holds. @throws freshet::error  where the system does not say
[[nodiscard]] std::uint64_t bytes_in_cache(const std::filesystem::path& path);

}  // namespace freshet::tool
