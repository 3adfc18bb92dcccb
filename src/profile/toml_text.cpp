#include "src/profile/toml_text.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace freshet::detail {
namespace {

// Finds what the parser does not handle safely: its stack grows without limit with the parts of dotted keys, and some
// non-ASCII letters outside quotes reach code that it declares unreachable. Multi-line strings are refused because the
// quotes in the following lines would have another meaning.
std::optional<toml::parse_error> refuse_unsafe(std::string_view text) {
  constexpr unsigned most_dots = 16;
  toml::source_index line = 1;
  unsigned dots = 0;
  char quote = '\0';
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = '\0';
      comment = false;
    } else if (comment) {
      continue;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return toml::parse_error{"only ASCII is allowed here (use \\uXXXX in strings)", toml::source_position{line, 1}};
    } else if (quote != '\0') {
      if (c == '\\' && quote == '"' && text.substr(i + 1, 1) != "\n")
        ++i;
      else if (c == quote)
        quote = '\0';
    } else if (c == '"' || c == '\'') {
      if (text.substr(i, 3) == std::string(3, c))
        return toml::parse_error{"multi-line strings are not allowed here", toml::source_position{line, 1}};
      quote = c;
    } else if (c == '.' && ++dots > most_dots) {
      return toml::parse_error{"the keys are nested too deeply", toml::source_position{line, 1}};
    } else {
      comment = c == '#';
    }
  }
  return {};
}

}  // namespace

toml::table parse_toml(std::string_view text) {
  if (const auto fault = refuse_unsafe(text)) throw toml::parse_error{*fault};
  return toml::parse(text);
}

}  // namespace freshet::detail
