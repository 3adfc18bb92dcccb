// Where `tune` saves what it found.
#pragma once

#include <filesystem>
#include <string>

#include "tool/search/tuning.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The file that the library reads first, or the one for all users if `system`; empty if the user has none, because
/// neither XDG_CONFIG_HOME nor HOME is set.
[[nodiscard]] std::filesystem::path profile_path(bool system);

/// Checks before the measurement that the profile can be saved after it, and says on standard error what is wrong with
/// an old one. @throws freshet::error  if it cannot
void require_writable_profile(const std::filesystem::path& path);

/// What came of the profile.
struct saving {
  bool saved = false;
  std::string told = {};     ///< for the screen
  std::string failure = {};  ///< why it is not saved, although it should be; else empty
};

/// Saves in the profile at `path` what the answers change; an empty path is no file.
[[nodiscard]] saving save_answers(const std::filesystem::path& path, const tuning& result, const environment& env);

}  // namespace freshet::tool
