#include "src/os/environment.hpp"

#include <cstdlib>

#include "src/os/native_string.hpp"
#include "src/os/windows/native.hpp"

namespace freshet::detail::os {
namespace {

std::filesystem::path directory_in(const char* variable) {
  std::filesystem::path directory{to_native(secure_environment(variable).value_or(""))};
  return directory.is_absolute() ? directory : std::filesystem::path{};
}

}  // namespace

// No program has more rights than the user who starts it, unless that user was asked.
std::optional<std::string> secure_environment(const char* name) {
  const wchar_t* const value = ::_wgetenv(to_native(name).c_str());
  if (value == nullptr) return {};
  return to_utf8(std::wstring{value});
}

std::filesystem::path user_settings() { return directory_in("APPDATA"); }

std::filesystem::path system_settings() { return directory_in("ProgramData"); }

std::string boot_id() { return {}; }

std::string kernel_release() {
  RTL_OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  if (::RtlGetVersion(&version) < 0) return {};
  return std::to_string(version.dwMajorVersion) + "." + std::to_string(version.dwMinorVersion) + "." +
         std::to_string(version.dwBuildNumber);
}

}  // namespace freshet::detail::os
