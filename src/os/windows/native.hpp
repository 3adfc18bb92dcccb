// The calls of Windows NT below Win32 that the seam needs: only they find files from an open directory or an open file,
// take paths of any length, and tell what a handle was opened for.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <winioctl.h>
#include <winternl.h>

extern "C" {
NTSTATUS NTAPI NtSetInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, FILE_INFORMATION_CLASS);
NTSTATUS NTAPI NtQueryVolumeInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, FS_INFORMATION_CLASS);
NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW);
}

namespace freshet::detail::os::nt {

// Numbers of information classes that Debian's headers lack.
inline constexpr int rename_information = 10;
inline constexpr int link_information = 11;
inline constexpr int access_information = 8;
inline constexpr int mode_information = 16;
inline constexpr int disposition_information_ex = 64;
inline constexpr int rename_information_ex = 65;
inline constexpr int volume_size_information = 3;

inline constexpr NTSTATUS file_is_a_directory = static_cast<NTSTATUS>(0xC00000BA);
inline constexpr NTSTATUS not_implemented = static_cast<NTSTATUS>(0xC0000002);
inline constexpr NTSTATUS invalid_info_class = static_cast<NTSTATUS>(0xC0000003);
inline constexpr NTSTATUS invalid_parameter = static_cast<NTSTATUS>(0xC000000D);
inline constexpr NTSTATUS invalid_device_request = static_cast<NTSTATUS>(0xC0000010);
inline constexpr NTSTATUS no_memory = static_cast<NTSTATUS>(0xC0000017);
inline constexpr NTSTATUS delete_pending = static_cast<NTSTATUS>(0xC0000056);
inline constexpr NTSTATUS not_supported = static_cast<NTSTATUS>(0xC00000BB);

[[nodiscard]] constexpr FILE_INFORMATION_CLASS file_class(int number) noexcept {
  return static_cast<FILE_INFORMATION_CLASS>(number);
}

/// Whether the system, or the file system, does not know what it was asked for: older ones, FAT, servers, and Wine.
[[nodiscard]] constexpr bool is_unknown(NTSTATUS status) noexcept {
  return status == not_implemented || status == invalid_info_class || status == invalid_parameter ||
         status == invalid_device_request || status == not_supported;
}

}  // namespace freshet::detail::os::nt
