// Parses TOML files that may be malformed or malicious.
#pragma once

#include <string_view>

// The parser asserts, or in release builds lets the compiler assume, conditions that some broken files violate (a table
// header that ends early), although it then reports them correctly. This disables both.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace freshet::detail {

/// Parses the part of TOML that profiles and manifests need: ASCII except in comments, no multi-line strings, and at
/// most 16 dots of keys in a line.
/// @throws toml::parse_error  if `text` is not TOML or exceeds these limits
[[nodiscard]] toml::table parse_toml(std::string_view text);

}  // namespace freshet::detail
