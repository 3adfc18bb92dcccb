// Text for shells and terminals.
#pragma once

#include <string>
#include <string_view>

namespace freshet::tool {

/// The word in single quotes, if a shell would not take it literally without them.
[[nodiscard]] std::string quote_for_shell(std::string_view word);

/// Whether a terminal may take the byte as a command: a control character of ASCII.
[[nodiscard]] bool is_control(char byte) noexcept;

/// `text` with "?" for each control character except for newlines.
[[nodiscard]] std::string replace_controls(std::string_view text);

}  // namespace freshet::tool
