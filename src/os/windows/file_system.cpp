// File systems by Windows: the volumes.
#include <array>
#include <string>
#include <string_view>

#include "src/os/file.hpp"
#include "src/os/native_string.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

struct volume {
  std::wstring type;
  DWORD serial = 0;
};

volume ask_volume(HANDLE inside) {
  std::array<wchar_t, MAX_PATH + 1> type{};
  volume result;
  if (::GetVolumeInformationByHandleW(inside, nullptr, 0, &result.serial, nullptr, nullptr, type.data(),
                                      static_cast<DWORD>(type.size())) != 0)
    result.type = type.data();
  return result;
}

// "\\?\Volume{…}\folder\file": the number between the braces was given to the volume when it was first seen.
std::string volume_number(HANDLE inside) {
  const DWORD needed = ::GetFinalPathNameByHandleW(inside, nullptr, 0, VOLUME_NAME_GUID);
  std::wstring path(needed, L'\0');
  path.resize(::GetFinalPathNameByHandleW(inside, path.data(), needed, VOLUME_NAME_GUID));
  const std::size_t begin = path.find(L'{');
  const std::size_t end = path.find(L'}');
  if (begin == std::wstring::npos || end == std::wstring::npos) return {};
  return to_utf8(path.substr(begin + 1, end - begin - 1));
}

}  // namespace

file_system file_system_of(const std::filesystem::path& path, std::error_code& error) {
  const file inside = file::open_existing(path.empty() ? std::filesystem::path{L"."} : path, error);
  if (error) return {};
  file_system result;
  result.device = inside.status(error).device;
  if (error) return {};
  std::array<wchar_t, MAX_PATH + 1> mount_point{};
  if (::GetVolumePathNameW(current_path(inside.descriptor()).c_str(), mount_point.data(), mount_point.size()) != 0)
    result.mount_point = to_utf8(std::wstring{mount_point.data()});
  ULARGE_INTEGER available{};
  ULARGE_INTEGER total{};
  if (::GetDiskFreeSpaceExW(mount_point.data(), &available, &total, nullptr) == 0) error = last_error();
  result.available = available.QuadPart;
  result.total = total.QuadPart;
  result.key = file_system_key(inside);
  result.type = file_system_type(inside);
  return result;
}

std::string file_system_key(const file& inside) {
  const std::string number = volume_number(inside.descriptor());
  return number.empty() ? "serial:" + std::to_string(ask_volume(inside.descriptor()).serial) : "volume:" + number;
}

std::string file_system_type(const file& inside) { return to_utf8(ask_volume(inside.descriptor()).type); }

bool is_in_memory(const file& /*inside*/) noexcept { return false; }

bool is_overlay(const file& /*inside*/) noexcept { return false; }

bool names_file_system(std::uint64_t /*device*/) noexcept { return true; }

bool is_local(const file& /*inside*/) noexcept { return false; }

std::optional<device_counters> read_device_counters(const std::string& /*device_name*/) { return std::nullopt; }

}  // namespace freshet::detail::os
