// Looks up the profile when the library opens files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/detail/export.hpp>
#include <freshet/options.hpp>
#include <freshet/profile.hpp>

#include "src/os/file.hpp"

namespace freshet::detail {

/// Several profile files. The first that has an entry of a file system decides.
struct profile_stack {
  std::vector<profile> profiles;      ///< the files that could be read
  std::vector<std::string> warnings;  ///< of all files, including those that could not be read

  /// The entry of a file system and the profile that contains it; both null if there is none.
  struct match {
    const file_system_profile* entry = nullptr;
    const profile* from = nullptr;
  };
  [[nodiscard]] match find(std::string_view key) const;
};

/// Reads the existing profile files of profile_search_path(). Errors in them become warnings.
[[nodiscard]] profile_stack read_profiles();
/// Reads `places`; a missing file causes a warning only if `required`.
[[nodiscard]] profile_stack read_profiles(const std::vector<std::filesystem::path>& places, bool required);

/// The profile's settings for writing with the durability `wanted` on the file system of `target`; empty if it has
/// none. `device` is the one in the status of `target`. The method may no longer work: the caller must be able to fall
/// back. The profile is read once per process, and the key of each file system is determined once.
[[nodiscard]] std::optional<write_settings> profiled_settings(const os::file& target, std::uint64_t device,
                                                              freshet::durability wanted);

/// The profile's settings for reading files that are in the page cache (warm) and files that are not (cold); empty if
/// it has none.
struct reading_settings {
  std::optional<read_settings> cold;
  std::optional<read_settings> warm;
};
[[nodiscard]] reading_settings profiled_reading(const os::file& target, std::uint64_t device);

/// What settings tell of the ways to write. Profiles of earlier versions have only what their method was expected to
/// reach.
[[nodiscard]] measured_ways known_ways(const write_settings& settings);

/// For freshet::each_line: the block size with which a file at `path` can be read, whether the page cache holds it or
/// not, within `memory` bytes of blocks. 0 where the profile's own block fits, or where there is no profile.
[[nodiscard]] FRESHET_API std::size_t reading_block_within(const std::filesystem::path& path, std::size_t memory);
/// The same for files to be written in `directory` with the guarantee `wanted` and at most `most_depth` blocks.
[[nodiscard]] FRESHET_API std::size_t writing_block_within(const std::filesystem::path& directory,
                                                           freshet::durability wanted, unsigned most_depth,
                                                           std::size_t memory);

/// The warnings of the files that profiled_settings() uses. The library never prints them.
[[nodiscard]] std::vector<std::string> profile_warnings();

/// Makes the process use `entries` instead of the files. For measurements: no other thread may call these functions at
/// the same time.
void use_profile(profile entries);
/// Makes the next use read the files again. For tests: no other thread may call these functions at the same time.
void forget_profiles();

}  // namespace freshet::detail
