// The names of open files: renaming, linking, removing.
#pragma once

#include <string>
#include <system_error>

#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {

/// What a file must be opened for so that its names may change.
inline constexpr ACCESS_MASK change_names = DELETE | FILE_READ_ATTRIBUTES;

/// Gives the open file the name `to` in `root`, the directory that it is in, or the path `to` if `root` is null.
/// Replaces a file of that name if `replaces`, even an open or read-only one where the system can (Windows 10 1809),
/// and otherwise fails with file_exists.
[[nodiscard]] std::error_code rename_open(HANDLE file, HANDLE root, const std::wstring& to, bool replaces) noexcept;
/// Gives it that name besides the one that it has; fails with file_exists if there is such a file, and with
/// operation_not_supported where files have one name.
[[nodiscard]] std::error_code link_open(HANDLE file, HANDLE root, const std::wstring& to) noexcept;
/// Removes the name that it was opened by, at once where the system can, and otherwise with the last handle.
[[nodiscard]] std::error_code remove_open(HANDLE file) noexcept;

}  // namespace freshet::detail::os
