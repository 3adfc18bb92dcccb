// The state of the page cache before a step: caches dropped, or a file system mounted anew, and the proof of it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace freshet::tool {

/// Whether the page cache was empty of what matters, and how that is known, for people.
struct cold_start {
  bool cold = false;
  std::string evidence;
};

/// Checks that the page cache holds nothing of the files, nor of those in the directories. `since` begins the evidence:
/// what was done to that end. A file that is missing proves nothing. @throws interrupted
[[nodiscard]] cold_start prove_uncached(std::span<const std::filesystem::path> inputs, const std::string& since);

/// Writes out everything, then makes the kernel drop all that it has cached, names and inodes included
/// (PROC/sys/vm/drop_caches), and proves it: a probe of 1 MiB in `directory` was cached before and is not any more, nor
/// is anything of `inputs`. Tries three times, since others may read meanwhile. @throws freshet::error; interrupted
[[nodiscard]] cold_start drop_caches(const std::filesystem::path& directory,
                                     std::span<const std::filesystem::path> inputs,
                                     const std::filesystem::path& proc = "/proc");
/// Empty if this user may make the kernel drop its caches, and why not otherwise.
[[nodiscard]] std::string why_not_drop_caches(const std::filesystem::path& proc = "/proc");

/// How a file system is mounted.
struct mounted {
  std::string source;   ///< a device, or the file behind a loop device that detaches itself
  std::string type;     ///< "ext4", …
  std::string options;  ///< as mount(8) takes them
  std::filesystem::path point;
};

/// What is mounted at `point`, as PROC/self/mountinfo has it. @throws freshet::error  if nothing is mounted there
[[nodiscard]] mounted find_mount(const std::filesystem::path& point, const std::filesystem::path& proc = "/proc");
[[nodiscard]] std::string to_json_text(const mounted& how);
/// @throws nlohmann::json::exception
[[nodiscard]] mounted mounted_from_json(const std::string& text);

/// Unmounts the file system, mounts it again, and proves that the kernel forgot it: a probe of 1 MiB in it was cached
/// before and is not any more, nor is anything of `inputs`. Mounts it if it is not mounted, as after a power cut.
/// @throws freshet::error  if it cannot be unmounted or mounted, with the reason; interrupted
[[nodiscard]] cold_start remount(const mounted& how, std::span<const std::filesystem::path> inputs);

}  // namespace freshet::tool
