/// @file
/// freshet::version(), the version of the library.
#pragma once

#include <string_view>

namespace freshet {

/// Returns the version, "major.minor.patch", of the library that the program runs with.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace freshet
