// The terminals that standard output and standard error may be.
#pragma once

#include <cstddef>
#include <cstdio>

namespace freshet::tool {

/// Whether the open file is a terminal.
[[nodiscard]] bool is_terminal(std::FILE* file) noexcept;

/// The columns of the terminal that the open file is; 0 if it is none or does not say.
[[nodiscard]] std::size_t terminal_columns(std::FILE* file) noexcept;

/// Whether what is printed may have characters beyond ASCII: the user's locale is UTF-8.
[[nodiscard]] bool locale_is_utf8();

}  // namespace freshet::tool
