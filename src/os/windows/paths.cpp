#include "src/os/windows/paths.hpp"

#include <string_view>

#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {
namespace {

constexpr std::wstring_view nt_prefix = LR"(\??\)";
constexpr std::wstring_view verbatim_prefix = LR"(\\?\)";
constexpr std::wstring_view device_prefix = LR"(\\.\)";

// GetFullPathNameW() knows no MAX_PATH. RtlDosPathNameToNtPathName_U(), which does all of it, refuses longer paths
// unless the program's manifest and the system's settings allow them.
std::wstring full_path(const std::wstring& path, std::error_code& error) {
  std::wstring full(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = ::GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    if (length == 0) error = last_error();
    const bool fits = length < full.size();
    full.resize(length);
    if (fits) return full;
  }
}

}  // namespace

bool is_verbatim(const std::wstring& path) noexcept {
  return path.starts_with(verbatim_prefix) || path.starts_with(nt_prefix);
}

std::wstring to_nt_path(const std::wstring& path, std::error_code& error) {
  error.clear();
  if (path.empty()) error = std::make_error_code(std::errc::no_such_file_or_directory);
  if (path.find(L'\0') != std::wstring::npos) error = std::make_error_code(std::errc::invalid_argument);
  if (path.size() > longest_path) error = std::make_error_code(std::errc::filename_too_long);
  if (error) return {};
  const std::wstring full = is_verbatim(path) ? path : full_path(path, error);
  if (error) return {};
  std::wstring result{nt_prefix};
  if (full.starts_with(nt_prefix) || full.starts_with(verbatim_prefix) || full.starts_with(device_prefix))
    return result.append(full, nt_prefix.size());
  if (full.starts_with(LR"(\\)")) return result.append(L"UNC").append(full, 1);  // "\\server\share"
  return result.append(full);
}

}  // namespace freshet::detail::os
