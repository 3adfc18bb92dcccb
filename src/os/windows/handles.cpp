#include "src/os/windows/handles.hpp"

#include <aclapi.h>

#include <array>
#include <new>

#include "src/os/windows/paths.hpp"

namespace freshet::detail::os {
namespace {

constexpr ACCESS_MASK transfers = FILE_READ_DATA | FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_READ_ATTRIBUTES |
                                  FILE_WRITE_ATTRIBUTES | FILE_READ_EA | FILE_WRITE_EA | READ_CONTROL | SYNCHRONIZE;

std::error_code create(HANDLE root, const std::wstring& name, const handle_request& request, HANDLE& opened,
                       IO_STATUS_BLOCK& outcome) noexcept {
  if (name.size() > longest_path) return std::make_error_code(std::errc::filename_too_long);
  const auto bytes = static_cast<USHORT>(name.size() * sizeof(wchar_t));
  UNICODE_STRING text{bytes, bytes, const_cast<wchar_t*>(name.data())};
  OBJECT_ATTRIBUTES place{};
  place.Length = sizeof place;
  place.RootDirectory = root;
  place.ObjectName = &text;
  place.Attributes = OBJ_CASE_INSENSITIVE;
  const NTSTATUS status = ::NtCreateFile(&opened, request.access | SYNCHRONIZE, &place, &outcome, nullptr,
                                         request.attributes, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                         request.disposition, request.options, nullptr, 0);
  // The name is taken until the last handle of a deleted file is closed.
  if (status == nt::delete_pending && request.disposition == FILE_CREATE)
    return std::make_error_code(std::errc::file_exists);
  return status_error(status);
}

}  // namespace

owned_handle open_handle(HANDLE root, const std::wstring& name, const handle_request& request, std::error_code& error,
                         bool* existed) noexcept try {
  HANDLE opened = nullptr;
  IO_STATUS_BLOCK outcome{};
  error.clear();
  const std::wstring path = root == nullptr ? to_nt_path(name, error) : std::wstring{};
  if (!error) error = create(root, root == nullptr ? path : name, request, opened, outcome);
  if (existed != nullptr) *existed = outcome.Information == FILE_OPENED;
  return owned_handle{error ? nullptr : opened};
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

ACCESS_MASK granted_access(HANDLE handle) noexcept {
  IO_STATUS_BLOCK outcome{};
  ACCESS_MASK granted = 0;
  ::NtQueryInformationFile(handle, &outcome, &granted, sizeof granted, nt::file_class(nt::access_information));
  return granted;
}

ULONG modes_of(HANDLE handle) noexcept {
  IO_STATUS_BLOCK outcome{};
  ULONG modes = 0;
  ::NtQueryInformationFile(handle, &outcome, &modes, sizeof modes, nt::file_class(nt::mode_information));
  return modes;
}

owned_handle open_again(HANDLE handle, ULONG options, std::error_code& error) noexcept {
  owned_handle again =
      open_handle(handle, {},
                  {.access = granted_access(handle) & transfers,
                   .options = options | FILE_NON_DIRECTORY_FILE | (modes_of(handle) & FILE_WRITE_THROUGH)},
                  error);
  // A file that was deleted meanwhile cannot be opened any more: the handle that is there still can be used.
  if (error == std::errc::permission_denied) error = std::make_error_code(std::errc::operation_not_supported);
  return again;
}

std::wstring current_path(HANDLE handle) {
  const DWORD needed = ::GetFinalPathNameByHandleW(handle, nullptr, 0, 0);
  std::wstring path(needed, L'\0');
  const DWORD length = ::GetFinalPathNameByHandleW(handle, path.data(), needed, 0);
  path.resize(length < needed ? length : 0);
  return path;
}

bool is_link(HANDLE handle) noexcept {
  FILE_ATTRIBUTE_TAG_INFO about{};
  return ::GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &about, sizeof about) != 0 &&
         (about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && about.ReparseTag == IO_REPARSE_TAG_SYMLINK;
}

bool belongs_to_this_user(HANDLE handle) noexcept {
  alignas(TOKEN_USER) std::array<std::byte, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> user{};
  DWORD length = 0;
  if (::GetTokenInformation(::GetCurrentProcessToken(), TokenUser, user.data(), user.size(), &length) == 0)
    return false;
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (::GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr, nullptr,
                        &descriptor) != ERROR_SUCCESS)
    return false;
  const bool same = ::EqualSid(owner, reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid) != 0;
  ::LocalFree(descriptor);
  return same;
}

}  // namespace freshet::detail::os
