#include "tool/base/text.hpp"

#include <algorithm>

namespace freshet::tool {

std::string quote_for_shell(std::string_view word) {
  constexpr auto literal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(literal) == std::string_view::npos) return std::string{word};
  std::string quoted = "'";
  for (const char each : word) quoted += each == '\'' ? std::string{"'\\''"} : std::string{each};
  return quoted + "'";
}

bool is_control(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

std::string replace_controls(std::string_view text) {
  std::string shown{text};
  std::ranges::replace_if(
      shown, [](char each) { return each != '\n' && is_control(each); }, '?');
  return shown;
}

}  // namespace freshet::tool
