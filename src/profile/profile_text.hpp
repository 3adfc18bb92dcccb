// Reads and writes the text of profile files (doc/reference/profile-format.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <freshet/profile.hpp>

namespace freshet::detail {

/// The largest profile file that is read, in bytes: enough for some thirty file systems.
inline constexpr std::size_t largest_profile = std::size_t{64} << 10;

/// Parses `text`; warnings name the file `name`.
[[nodiscard]] profile parse_profile(std::string_view text, const std::filesystem::path& name);

/// Whether `text` is a profile of a later format than this version of freshet reads and writes.
[[nodiscard]] bool has_newer_format(std::string_view text);

/// Returns `text` with `entry` added or replaced; all other entries and unknown keys are kept. Empty if `text` is not a
/// profile, or contains keys that cannot be written back.
/// @throws freshet::error  if `text` has a newer format than this version of freshet writes; it names the file `name`
[[nodiscard]] std::optional<std::string> merge_profile(std::string_view text, const file_system_profile& entry,
                                                       const std::filesystem::path& name);

}  // namespace freshet::detail
