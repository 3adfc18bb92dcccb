// The directory that a command works in: its name, the file system it lies on, and whether there is room for more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/os/file.hpp"

namespace freshet::tool {

/// The directory's absolute path in one spelling: without "." and ".." and without a slash at its end.
[[nodiscard]] std::filesystem::path normalize_directory(const std::filesystem::path& directory);

/// The paths of all entries of `directory`, in no order; of those that were found before `failure`.
[[nodiscard]] std::vector<std::filesystem::path> list_entries(const std::filesystem::path& directory,
                                                              std::error_code& failure);
/// The same; of as many as can be listed.
[[nodiscard]] std::vector<std::filesystem::path> list_entries(const std::filesystem::path& directory);

/// The user's directory that `variable` names ("XDG_STATE_HOME"), else `below_home` (".local/state"); empty if neither
/// is known. Source: XDG Base Directory Specification 0.8.
[[nodiscard]] std::filesystem::path user_directory(const char* variable, std::string_view below_home);

/// The file system that `path` lies on. @throws freshet::error if it does not exist
[[nodiscard]] detail::os::file_system file_system_at(const std::filesystem::path& path);

/// Whether the file system keeps its files in memory only, so that none of them can be read cold.
[[nodiscard]] bool is_in_memory(const detail::os::file_system& place);
/// Explains to a user why no file there can be read cold. Precondition: is_in_memory(place).
[[nodiscard]] std::string why_never_cold(const detail::os::file_system& place);

/// @throws freshet::error  always: the `operation` on `path` fails with `code`, and `reason` explains it
[[noreturn]] void refuse(std::errc code, std::string_view operation, const std::filesystem::path& path,
                         const std::string& reason);

/// Checks that `bytes` fit the free space of `directory`. @throws freshet::error if they do not; the message says how
/// much is free, and that --force overrides this check
void require_space(const std::filesystem::path& directory, std::uint64_t bytes);

/// Checks that the `bytes` to be written to `place`, a directory or a file, stay within the `budget` that --max-bytes
/// sets. @throws freshet::error if they do not
void require_budget(const std::filesystem::path& place, std::uint64_t bytes, std::uint64_t budget);

}  // namespace freshet::tool
