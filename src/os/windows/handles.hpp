// Opening files and directories, from a path, an open directory, or the file itself.
#pragma once

#include <string>
#include <system_error>

#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {

/// How a handle is opened, in the words of NtCreateFile().
struct handle_request {
  ACCESS_MASK access = FILE_READ_ATTRIBUTES;
  ULONG disposition = FILE_OPEN;
  ULONG options = 0;
  ULONG attributes = FILE_ATTRIBUTE_NORMAL;
};

/// Transfers one after another, for the calls that take no OVERLAPPED, too.
inline constexpr ULONG one_at_a_time = FILE_SYNCHRONOUS_IO_NONALERT;

/// Opens the entry `name` of the open directory `root`, or the path `name` if `root` is null. An empty name is `root`
/// itself, file or directory, once more. `existed`, if asked for, says whether the file was there before. Others may
/// read and write the file, as with the standard streams, and rename and delete it, which those refuse.
[[nodiscard]] owned_handle open_handle(HANDLE root, const std::wstring& name, const handle_request& request,
                                       std::error_code& error, bool* existed = nullptr) noexcept;

/// What `handle` may be used for, and the modes that it was opened with (FILE_WRITE_THROUGH, …); 0 if unknown.
[[nodiscard]] ACCESS_MASK granted_access(HANDLE handle) noexcept;
[[nodiscard]] ULONG modes_of(HANDLE handle) noexcept;

/// Opens the file of `handle` once more, for the same reading and writing, with `options` and what durability asked
/// for.
[[nodiscard]] owned_handle open_again(HANDLE handle, ULONG options, std::error_code& error) noexcept;

/// The path of an open file as it is now; empty if the system does not tell. @throws std::bad_alloc
[[nodiscard]] std::wstring current_path(HANDLE handle);

/// Whether the last part of the path that `handle` was opened by is a link, which was not followed.
[[nodiscard]] bool is_link(HANDLE handle) noexcept;

/// Whether the file belongs to the user of this process.
[[nodiscard]] bool belongs_to_this_user(HANDLE handle) noexcept;

}  // namespace freshet::detail::os
