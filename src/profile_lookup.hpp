// The profile as the library uses it when it opens files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/options.hpp>
#include <freshet/profile.hpp>

#include "src/os/file.hpp"

namespace freshet::detail {

/// Several profile files, of which the first that has a file system's entry decides.
struct profile_stack {
  std::vector<profile> profiles;      ///< those that could be read
  std::vector<std::string> warnings;  ///< of all files, those that could not be read included

  /// The entry of the file system `key`, and the file that it is from; both null where there is none.
  struct found {
    const file_system_profile* entry = nullptr;
    const profile* from = nullptr;
  };
  [[nodiscard]] found find(std::string_view key) const;
};

/// Reads the profile files that there are in profile_search_path(). Whatever is wrong with them is a warning.
[[nodiscard]] profile_stack read_profiles();
/// The same for `places`; one that is missing is worth a warning only where `required`.
[[nodiscard]] profile_stack read_profiles(const std::vector<std::filesystem::path>& places, bool required);

/// How the profile says to write with the guarantee `wanted` on the file system that `target` lies on; empty where it
/// says nothing. `device` is that of target's status. The method may no longer work: the caller falls back.
/// The files are read once per process, and a file system's key is asked for once.
[[nodiscard]] std::optional<write_settings> profiled_settings(const os::file& target, std::uint64_t device,
                                                              freshet::durability wanted);

/// How the profile says to read there, what the page cache holds and what it does not; each empty where it says
/// nothing.
struct reading_settings {
  std::optional<read_settings> cold;
  std::optional<read_settings> warm;
};
[[nodiscard]] reading_settings profiled_reading(const os::file& target, std::uint64_t device);

/// What was wrong with the files that profiled_settings() goes by. The library never prints it.
[[nodiscard]] std::vector<std::string> profile_warnings();

/// Has the files read again at the next use. For tests: no other thread may be in here at the same time.
void forget_profiles();

}  // namespace freshet::detail
