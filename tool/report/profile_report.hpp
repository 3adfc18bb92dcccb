// What `freshet profile` shows: the profile's entry for a directory, and whether it still holds.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <freshet/profile.hpp>

#include "src/os/file.hpp"
#include "tool/trial/io_class.hpp"

namespace freshet::tool {

/// Something that is no longer as it was when the file system was measured.
struct stale_mark {
  std::string what;      ///< "kernel", "mount options", "type"
  std::string measured;  ///< as it was then
  std::string now;
};

/// How `here`, run by the kernel release `kernel`, differs from what `entry` was measured on. What the entry does not
/// say is not held against it.
[[nodiscard]] std::vector<stale_mark> stale_marks(const file_system_profile& entry, const detail::os::file_system& here,
                                                  std::string_view kernel);

/// One place where profiles are looked for.
struct profile_place {
  std::filesystem::path path;
  bool read = false;
  std::size_t file_systems = 0;  ///< that it has entries for
};

/// One class of the entry.
struct profiled_class {
  std::optional<write_settings> winner;  ///< empty where it was not measured; of reading, `reserve` says nothing
  std::string why_not;                   ///< why the winner's method does not work here now; empty where it does
  std::string opened_with;               ///< the method that the library opens a file with; empty: could not be tried
};

/// All that there is to say about a directory's profile.
struct profile_report {
  std::filesystem::path directory;
  detail::os::file_system here;
  std::string kernel;
  std::vector<profile_place> places;  ///< in the order in which they are asked
  std::optional<file_system_profile> entry;
  std::filesystem::path from;                              ///< the file that `entry` is from
  std::array<profiled_class, all_classes.size()> classes;  ///< indexed by trial_class
  std::string untried;  ///< why no file could be opened in the directory; empty where one could
  std::vector<stale_mark> stale;
  std::vector<std::string> warnings;
};

/// Looks at `directory` as a program does that opens files there: with the profiles that are in force, and a small file
/// for each class. @throws freshet::error  where it is no directory
[[nodiscard]] profile_report inspect_profile(const std::filesystem::path& directory);

/// Lines for people; warnings are left out.
[[nodiscard]] std::string describe(const profile_report& report);

void to_json(nlohmann::json& out, const profile_report& report);

}  // namespace freshet::tool
