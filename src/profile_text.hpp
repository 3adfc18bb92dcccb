// The profile file's text (doc/reference/profile-format.md): read and written here, and nowhere else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <freshet/profile.hpp>

namespace freshet::detail {

/// The largest profile file that is read, in bytes: room for about a hundred file systems.
inline constexpr std::size_t largest_profile = std::size_t{64} << 10;

/// What `text` says; `name` is the file that its warnings name.
[[nodiscard]] profile parse_profile(std::string_view text, const std::filesystem::path& name);

/// `text` with `entry` in it, all other entries and unknown keys kept; empty where `text` is no profile, or holds keys
/// that cannot be written back.
/// @throws freshet::error  where `text` has a format newer than this freshet's; `name` is the file that it names
[[nodiscard]] std::optional<std::string> merge_profile(std::string_view text, const file_system_profile& entry,
                                                       const std::filesystem::path& name);

}  // namespace freshet::detail
