#include "src/os/message.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/os/native_string.hpp"
#include "src/os/windows/native.hpp"

namespace freshet::detail::os {
namespace {

struct text {
  std::errc error;
  std::string_view words;
};

// Microsoft's C library has no words for what it does not report itself.
constexpr std::array texts{
    text{std::errc::bad_message, "Bad message"},
    text{std::errc::operation_canceled, "Operation canceled"},
    text{std::errc::operation_not_supported, "Operation not supported"},
    text{std::errc::operation_would_block, "Operation would block"},
    text{std::errc::owner_dead, "Owner died"},
    text{std::errc::state_not_recoverable, "State not recoverable"},
    text{std::errc::too_many_symbolic_link_levels, "Too many levels of symbolic links"},
    text{std::errc::value_too_large, "Value too large"},
};

// As the system says it, without the full stop and the end of the line.
std::string system_message(DWORD number) {
  constexpr DWORD how = FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  wchar_t* allocated = nullptr;
  const DWORD length = ::FormatMessageW(how, nullptr, number, 0, reinterpret_cast<wchar_t*>(&allocated), 0, nullptr);
  std::wstring_view words{allocated, length};
  while (!words.empty() && std::wstring_view{L".\r\n "}.find(words.back()) != std::wstring_view::npos)
    words.remove_suffix(1);
  std::string result = narrow(words);
  ::LocalFree(allocated);
  return result.empty() ? "error " + std::to_string(number) : result;
}

}  // namespace

std::string message_of(std::error_code code) {
  if (code.category() == std::system_category()) return system_message(static_cast<DWORD>(code.value()));
  const auto* const known = std::ranges::find_if(texts, [&](const text& each) { return code == each.error; });
  return known == texts.end() ? code.message() : std::string{known->words};
}

}  // namespace freshet::detail::os
