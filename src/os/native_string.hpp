// The text of paths as the system has it, and as UTF-8: on Windows two different types, elsewhere the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// UTF-8 as UTF-16, and back; malformed parts become U+FFFD. Only Windows has them.
[[nodiscard]] std::wstring widen(std::string_view text);
[[nodiscard]] std::string narrow(std::wstring_view text);

/// `text`, which is UTF-8 on Windows, as the system has it.
template <typename Character = path_character>
[[nodiscard]] std::basic_string<Character> to_native(std::string_view text) {
  if constexpr (std::is_same_v<Character, char>)
    return std::string{text};
  else
    return widen(text);
}

/// The text of a path for messages.
[[nodiscard]] inline const std::string& to_utf8(const std::string& text) noexcept { return text; }
[[nodiscard]] inline std::string to_utf8(const std::wstring& text) { return narrow(text); }

}  // namespace freshet::detail
