// The profile that is in force for a directory: whether it still applies, and what the library makes of it.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/profile.hpp>

#include "src/os/file.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// A property that has changed since the file system was measured.
struct stale_mark {
  std::string property;  ///< "kernel", "mount options", "type"
  std::string measured;  ///< as it was then
  std::string now;
};

/// Returns how `file_system` under the kernel release `kernel` differs from what `entry` was measured on. Properties
/// that the entry does not record are ignored.
[[nodiscard]] std::vector<stale_mark> find_stale_marks(const file_system_profile& entry,
                                                       const detail::os::file_system& file_system,
                                                       std::string_view kernel);

/// A file in which profiles are searched.
struct profile_place {
  std::filesystem::path path;
  bool read = false;
  std::size_t file_systems = 0;  ///< number of entries
};

/// What the profile and the library do for one class.
struct profiled_class {
  std::optional<write_settings> winner;  ///< empty if not measured
  std::string why_not;                   ///< why the winner's method does not work now; empty if it does
  std::string opened_with;  ///< the method with which the library opens a file; empty if that could not be tried
};

/// Everything about a directory's profile.
struct profile_inspection {
  std::filesystem::path directory;
  detail::os::file_system file_system;
  std::string kernel;
  std::vector<profile_place> places;  ///< in the order of the search
  std::optional<file_system_profile> entry;
  std::filesystem::path from;                              ///< the file that `entry` is from
  std::array<profiled_class, all_classes.size()> classes;  ///< indexed by io_class
  std::string untried;  ///< why no file could be opened in the directory; empty if one could
  std::vector<stale_mark> stale;
  std::vector<std::string> warnings;
};

/// Inspects `directory` from the viewpoint of a program that opens files in it: reads the profiles that are in force,
/// and opens a small file of each class. @throws freshet::error if `directory` is not a directory
[[nodiscard]] profile_inspection inspect_profile(const std::filesystem::path& directory);

}  // namespace freshet::tool
