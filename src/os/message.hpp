// What an error means, in words.
#pragma once

#include <string>
#include <system_error>

namespace freshet::detail::os {

/// The text of `code`: that of its category where the C library has one, in UTF-8.
[[nodiscard]] std::string message_of(std::error_code code);

}  // namespace freshet::detail::os
