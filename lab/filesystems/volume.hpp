// Volumes: file systems made with some options and mounted with some; and the kinds of file systems that are known.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// A file system made in one way and mounted in one way.
struct volume {
  std::string type;                       ///< "xfs"
  std::vector<std::string> made_with;     ///< options of mkfs, with their values: "-d agcount=4"
  std::vector<std::string> mounted_with;  ///< "noatime"
  friend bool operator==(const volume&, const volume&) = default;
};

/// "ext4", "xfs -l size=64m -d agcount=4, noatime,nodiratime".
[[nodiscard]] std::string name_of(const volume& which);

/// The volume of that name, whose aged_suffix is ignored. @throws std::invalid_argument  if its type is not known
[[nodiscard]] volume parse_volume(std::string_view name);

/// An option that may make a file system faster.
struct volume_option {
  std::string_view text;
  std::string_view price = {};  ///< what it costs, for people; empty: nothing that is known
};

/// A kind of file system.
struct volume_kind {
  std::string_view type;
  std::string_view package;                     ///< of Debian, which has the program
  std::string_view always = {};                 ///< its options without a choice: ask nothing, and discard nothing
  std::string_view default_mount_option = {};   ///< a mount option that every trial has, so that nothing is discarded
  bool tested_by_default = true;                ///< it recovers from a crash by itself, and is maintained
  std::span<const volume_option> made = {};     ///< options of mkfs to try
  std::span<const volume_option> mounted = {};  ///< mount options to try
  std::string_view remark = {};                 ///< for people

  /// The program that makes it.
  [[nodiscard]] std::string program() const { return "mkfs." + std::string{type}; }
};

/// All known kinds, the usual ones first.
[[nodiscard]] std::span<const volume_kind> volume_kinds() noexcept;
/// Null if it is not known.
[[nodiscard]] const volume_kind* find_volume_kind(std::string_view type) noexcept;

/// Why this machine cannot make or mount it, and what to install; empty if it probably can. `proc` is where procfs is
/// mounted, `modules` where the kernel's modules are.
[[nodiscard]] std::string why_unavailable(const volume_kind& kind, const std::filesystem::path& proc = "/proc",
                                          const std::filesystem::path& modules = {});

/// The path of a program of the system: in PATH, or where such programs usually are; empty if it is nowhere.
[[nodiscard]] std::string find_program(std::string_view program);

/// The command that makes the volume on `device`.
[[nodiscard]] std::vector<std::string> mkfs_words(const volume& which, const std::string& device);

/// What to type to get this volume: mkfs and mount.
[[nodiscard]] std::vector<std::string> commands_for(const volume& which, const std::string& device,
                                                    const std::string& mount_point);

/// The prices of its options, for people.
[[nodiscard]] std::vector<std::string> drawbacks_of(const volume& which);

/// The volume with one more option, for each of its kind's that it does not have yet: of mkfs, of mounting.
[[nodiscard]] std::vector<volume> add_mkfs_option(const volume& which);
[[nodiscard]] std::vector<volume> with_more_mounted(const volume& which);

/// A set of volumes and methods that has been published.
struct volume_preset {
  std::string_view name;
  std::vector<std::string> volumes;
  std::vector<std::string> methods;
  std::vector<std::string> remarks;  ///< how it differs from what was published, for people
};

/// @throws std::invalid_argument  for all but w4
[[nodiscard]] volume_preset parse_preset(std::string_view name);

}  // namespace freshet::tool
