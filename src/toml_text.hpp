// Files in TOML, whatever is in them.
#pragma once

#include <string_view>

// The parser asserts, and without assertions has the compiler assume, what some broken files do not hold (a table
// header that ends early), although it would go on to report them. Neither may be: this makes its assertions mean
// nothing.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace freshet::detail {

/// Parses what profiles and manifests need: ASCII but in comments, no string over several lines, keys of 16 parts at
/// most in a line.
/// @throws toml::parse_error  where `text` is no TOML, or asks for more than that
[[nodiscard]] toml::table parse_toml(std::string_view text);

}  // namespace freshet::detail
