// Files that are proven to be out of the page cache, and files that are in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace freshet::tool {

/// The result of evicting files from memory.
struct eviction {
  bool proven = false;               ///< no page of any of the files is in memory
  std::vector<std::string> reasons;  ///< why it is not proven; each names a file or the system's answer
  std::vector<std::string>
      caveats;  ///< what may still be in memory, since dropping it takes a privilege: names, inodes
};

/// Writes out the file systems of the files, drops the files' pages (posix_fadvise), and proves that they are gone
/// (cachestat, else mincore). If that is proven and this user may, then drops everything that the kernel has cached of
/// any file system, including names and inodes (drop_caches).
/// @throws freshet::error if a file cannot be opened, or a file system cannot write; interrupted
[[nodiscard]] eviction evict(std::span<const std::filesystem::path> files);

/// Makes the kernel drop all that it has cached and need not write, names and inodes included
/// (`proc`/sys/vm/drop_caches).
void drop_kernel_caches(const std::filesystem::path& proc, std::error_code& failure);

/// Writes out `path` and drops its pages from the page cache, as far as possible. Proves nothing. @throws
/// freshet::error
void drop_pages(const std::filesystem::path& path);

/// The same for all of `files`; then checks that the pages are gone. Returns why they are not, also if a call failed;
/// empty if they are. @throws interrupted
[[nodiscard]] std::string drop_all_pages(std::span<const std::filesystem::path> files);

/// Reads all of `path` into the page cache. @throws freshet::error; interrupted
void read_into_cache(const std::filesystem::path& path);

/// Makes the page cache take in all of `files`, and again what it lets go of meanwhile, as far as it can. Returns how
/// many of their bytes it holds; empty if the system tells nobody, and each was read once. @throws freshet::error;
/// interrupted
[[nodiscard]] std::optional<std::uint64_t> warm_up(std::span<const std::filesystem::path> files);

/// Bytes of `path` that the page cache holds; empty if the system does not tell: some tell nobody, and Linux only the
/// file's owner, and those who may write to it. @throws freshet::error
[[nodiscard]] std::optional<std::uint64_t> visible_bytes_in_cache(const std::filesystem::path& path);
/// The same for all of `files`; empty if that of one is.
[[nodiscard]] std::optional<std::uint64_t> visible_bytes_in_cache(std::span<const std::filesystem::path> files);

/// Bytes of `path` that the page cache holds. @throws freshet::error also if the system does not tell
[[nodiscard]] std::uint64_t bytes_in_cache(const std::filesystem::path& path);
/// The same for all of `files`.
[[nodiscard]] std::uint64_t bytes_in_cache(std::span<const std::filesystem::path> files);

}  // namespace freshet::tool
