/// @file
/// Profiles: what `freshet tune` found best for a file system, which the library applies when it opens files.
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

#include <freshet/detail/export.hpp>
#include <freshet/options.hpp>

namespace freshet {

/// What was measured of one way to move bytes.
struct way_figure {
  double seconds_per_byte = 0;  ///< 0: not measured
  double spread = 0;            ///< how much it varies, relative to it: 0.1 is a tenth
  std::uint64_t bytes = 0;      ///< from how many of them
  /// Equal in every member.
  friend bool operator==(const way_figure&, const way_figure&) = default;
};

/// What was measured of the ways between which a file changes that names no method.
struct measured_ways {
  way_figure kept = {};    ///< the page cache keeps the pages: what the program waits for each byte
  way_figure behind = {};  ///< the pages are given back behind the cursor: the same. Not used for reading
  /// Past the page cache: what the device takes for each byte, whether the program waits for it or works meanwhile.
  way_figure past = {};
  std::size_t block = 0;  ///< bytes in a block of `past`; 0: the default
  unsigned depth = 0;     ///< blocks of `past` in memory; 0: the default
  /// Equal in every member.
  friend bool operator==(const measured_ways&, const measured_ways&) = default;
};

/// How to write: the fastest settings for one durability class.
struct write_settings {
  std::string method = "buffered";  ///< for writer_options::method
  std::size_t block = 0;            ///< bytes; 0: the default
  unsigned depth = 0;               ///< blocks in memory; 0: the default
  std::string provisional = {};     ///< what its measurement left unknown; empty: nothing
  /// MB/s that programs get at least, as measured, by the clock of the class: to close, or to disk for durable files.
  /// For those who read the profile; the library does not act on it. 0: unknown.
  double slowest_expected = 0;
  /// Whether the method is used to the end of every file; otherwise it is what a file begins with, and leaves where it
  /// turns out to be slow.
  bool fixed = false;
  measured_ways measured = {};  ///< what the choice was made from
  /// Equal in every member.
  friend bool operator==(const write_settings&, const write_settings&) = default;
};

/// How to read: the fastest settings for files that are in the page cache, or for files that are not.
struct read_settings {
  std::string method = "buffered";  ///< for reader_options::method
  std::size_t block = 0;            ///< bytes; 0: the default
  unsigned depth = 0;               ///< blocks in memory; 0: the default
  std::string provisional = {};     ///< what its measurement left unknown; empty: nothing
  /// Whether the method is used to the end of every file; otherwise it is what a file begins with, and leaves where it
  /// turns out to be slow.
  bool fixed = false;
  measured_ways measured = {};  ///< `kept` is the page cache for what it does not hold
  /// Equal in every member.
  friend bool operator==(const read_settings&, const read_settings&) = default;
};

/// The part of a profile for one file system. It records the conditions of the measurement, so that `freshet profile`
/// can tell when they have changed.
struct file_system_profile {
  std::string key;            ///< "uuid:…", or "type:fsid" if the file system has no UUID
  std::string type;           ///< "ext4", …
  std::string mount_options;  ///< when measured
  std::string kernel;         ///< release, when measured
  std::string measured;       ///< when: ISO 8601, UTC
  std::uint64_t size = 0;     ///< bytes in each file that was written
  /// The winner of each durability class, indexed by freshet::durability; empty if it was not measured.
  std::array<std::optional<write_settings>, 3> winners;
  std::optional<read_settings> cold;  ///< for files not in the page cache; empty if not measured
  std::optional<read_settings> warm;  ///< for files mostly in the page cache; empty if not measured
};

/// The content of a profile file.
struct profile {
  std::map<std::string, file_system_profile> file_systems;  ///< by key
  std::filesystem::path path;                               ///< the file; empty if there is none
  std::vector<std::string> warnings;  ///< each names file, line and fault; faulty entries are left out
};

/// Reads the profile file at `path`. Faults in its content become warnings.
/// @throws freshet::error  if the file cannot be read
[[nodiscard]] FRESHET_API profile read_profile(const std::filesystem::path& path);

/// Adds `entry` to the profile file at `path`, or replaces the entry with the same key. Replaces the file atomically
/// and creates missing directories. A broken file is kept as `path`.broken.
/// @throws freshet::error  if the file cannot be written
FRESHET_API void save_profile(const std::filesystem::path& path, const file_system_profile& entry);

/// Returns the files in which the library looks for a file system's entry; the first entry found applies. These are
/// user_profile_path() and system_profile_path(). If the environment variable FRESHET_PROFILE is set, it is the only
/// one, and `none` means no file; programs with raised privileges ignore the variable (secure_getenv).
[[nodiscard]] FRESHET_API std::vector<std::filesystem::path> profile_search_path();
/// Returns $XDG_CONFIG_HOME/freshet/profile.toml, or ~/.config/freshet/profile.toml if the variable is not set.
[[nodiscard]] FRESHET_API std::filesystem::path user_profile_path();
/// Returns /etc/xdg/freshet/profile.toml.
[[nodiscard]] FRESHET_API std::filesystem::path system_profile_path();

}  // namespace freshet
