/// @file
/// What `freshet tune` found out about a file system, as the library uses it when it opens files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <freshet/options.hpp>

namespace freshet {

/// How to write: the winner of one durability class.
struct write_settings {
  std::string method = "buffered";  ///< as in writer_options::method
  std::size_t block = 0;            ///< bytes; 0: the default
  unsigned depth = 0;               ///< blocks in memory; 0: the default
  bool reserve = false;             ///< worth setting space aside when the size is known ahead
  /// Equal in every member.
  friend bool operator==(const write_settings&, const write_settings&) = default;
};

/// How to read: the winner for files that the page cache holds, or for those that it does not.
struct read_settings {
  std::string method = "buffered";  ///< as in reader_options::method
  std::size_t block = 0;            ///< bytes; 0: the default
  unsigned depth = 0;               ///< blocks in memory; 0: the default
  /// Equal in every member.
  friend bool operator==(const read_settings&, const read_settings&) = default;
};

/// One file system's part of a profile. What was true when it was measured stands beside the winners, so that
/// `freshet profile` can say when it no longer is.
struct file_system_profile {
  std::string key;            ///< "uuid:…", else "type:fsid"
  std::string type;           ///< "ext4", …
  std::string mount_options;  ///< when measured
  std::string kernel;         ///< release, when measured
  std::string measured;       ///< when: ISO 8601, UTC
  std::uint64_t size = 0;     ///< bytes of the files that were written
  /// The winner of each durability class, indexed by it; empty where it was not measured.
  std::array<std::optional<write_settings>, 3> winners;
  std::optional<read_settings> cold;  ///< the winner for files that the page cache does not hold; empty: not measured
  std::optional<read_settings> warm;  ///< the winner for files that it holds, mostly; empty: not measured
};

/// A profile file as read: its file systems, and what was wrong with it.
struct profile {
  std::map<std::string, file_system_profile> file_systems;  ///< by key
  std::filesystem::path path;                               ///< where it was read from; empty: nowhere
  std::vector<std::string> warnings;  ///< each names file, line and fault; what they name is left out
};

/// Reads a profile file. Never throws on its content: faults become warnings. @throws freshet::error when it can't be
/// read
[[nodiscard]] profile read_profile(const std::filesystem::path& path);

/// Puts `entry` into the profile file at `path` beside the others' entries, atomically, making folders on the way. A
/// broken file is kept as `path`.broken and written anew. @throws freshet::error
void save_profile(const std::filesystem::path& path, const file_system_profile& entry);

/// Where profiles are looked for, first found entry wins: FRESHET_PROFILE alone where it is set (`none`: nowhere; read
/// with secure_getenv), else the user's, then the system's.
[[nodiscard]] std::vector<std::filesystem::path> profile_search_path();
/// $XDG_CONFIG_HOME/freshet/profile.toml, by default ~/.config/freshet/profile.toml.
[[nodiscard]] std::filesystem::path user_profile_path();
/// /etc/xdg/freshet/profile.toml.
[[nodiscard]] std::filesystem::path system_profile_path();

}  // namespace freshet
