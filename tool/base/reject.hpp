// How a text that a user typed is refused.
#pragma once

#include <string_view>

namespace freshet::tool {

/// @throws std::invalid_argument  always: "`text`" is not `what`: `reason`
[[noreturn]] void reject(std::string_view text, std::string_view what, std::string_view reason);

}  // namespace freshet::tool
