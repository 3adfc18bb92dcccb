// What belongs to a file beside its bytes: attributes, and who may use it.
#include <aclapi.h>

#include "src/os/directory.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

constexpr DWORD kept_attributes =
    FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

// The list of who may use the file; the owner stays the user who wrote the new one.
std::error_code copy_access(HANDLE from, HANDLE to) noexcept {
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  DWORD number =
      ::GetSecurityInfo(from, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &list, nullptr, &descriptor);
  if (number != ERROR_SUCCESS) return to_error(number);
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  ::GetSecurityDescriptorControl(descriptor, &control, &revision);
  // A list that takes nothing from the directory must not take anything by being copied.
  const DWORD inheritance =
      (control & SE_DACL_PROTECTED) != 0 ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION;
  number =
      ::SetSecurityInfo(to, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inheritance, nullptr, nullptr, list, nullptr);
  ::LocalFree(descriptor);
  return number == ERROR_SUCCESS ? std::error_code{} : to_error(number);
}

std::error_code copy_flags(HANDLE from, HANDLE to) noexcept {
  FILE_BASIC_INFO old{};
  FILE_BASIC_INFO now{};
  if (::GetFileInformationByHandleEx(from, FileBasicInfo, &old, sizeof old) == 0 ||
      ::GetFileInformationByHandleEx(to, FileBasicInfo, &now, sizeof now) == 0)
    return last_error();
  const DWORD wanted = (now.FileAttributes & ~kept_attributes) | (old.FileAttributes & kept_attributes);
  if (wanted == now.FileAttributes) return {};
  FILE_BASIC_INFO changed{};  // what is 0 stays
  changed.FileAttributes = wanted != 0 ? wanted : FILE_ATTRIBUTE_NORMAL;
  return error_unless(::SetFileInformationByHandle(to, FileBasicInfo, &changed, sizeof changed));
}

}  // namespace

bool directory::copy_attributes(const native_string& name, const file& target, std::error_code& error) const noexcept {
  owned_handle from;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    from = open_handle(descriptor_, name, {.access = FILE_READ_ATTRIBUTES | READ_CONTROL, .options = one_at_a_time},
                       failure);
    return failure;
  });
  if (error == std::errc::no_such_file_or_directory) {
    error.clear();
    return false;
  }
  if (error) return false;
  make_call({call::set_attributes, target.descriptor(), 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    const owned_handle to = open_handle(
        target.descriptor(), {},
        {.access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES | READ_CONTROL | WRITE_DAC, .options = one_at_a_time},
        failure);
    if (!failure) failure = copy_access(from.get(), to.get());
    return failure ? failure : copy_flags(from.get(), to.get());
  });
  return !error;
}

}  // namespace freshet::detail::os
