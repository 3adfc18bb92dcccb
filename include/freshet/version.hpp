/// @file
/// Which freshet this is.
#pragma once

#include <string_view>

namespace freshet {

/// "major.minor.patch" of the library that the program runs with.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace freshet
