/// @file
/// freshet::version(), the version of the library.
#pragma once

#include <string_view>

#include <freshet/detail/export.hpp>

namespace freshet {

/// Returns the version, "major.minor.patch", of the library that the program runs with.
[[nodiscard]] FRESHET_API std::string_view version() noexcept;

}  // namespace freshet
