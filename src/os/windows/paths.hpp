// Paths as the calls below Win32 take them.
#pragma once

#include <string>
#include <system_error>

namespace freshet::detail::os {

/// The longest name or path, in characters: the system counts their bytes in 16 bits.
inline constexpr std::size_t longest_path = 0xFFFF / sizeof(wchar_t);

/// Whether `path` begins with "\\?\", and so means itself, whatever dots, spaces and slashes are in it.
[[nodiscard]] bool is_verbatim(const std::wstring& path) noexcept;

/// The whole `path` ("\??\C:\folder\file"), from the working directory on if it is relative; empty if `error` is set.
/// @throws std::bad_alloc
[[nodiscard]] std::wstring to_nt_path(const std::wstring& path, std::error_code& error);

}  // namespace freshet::detail::os
