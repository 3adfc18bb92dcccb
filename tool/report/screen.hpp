// What an output can show, and text made to fit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace freshet::tool {

/// What whoever reads the output gets to see.
struct screen {
  bool colours = false;
  bool unicode = false;    ///< more than ASCII
  std::size_t width = 80;  ///< columns
};

/// Standard output: colours where it is a terminal that has them (TERM is not "dumb") and NO_COLOR is unset or empty,
/// characters beyond ASCII where the locale is UTF-8. Source: no-color.org.
[[nodiscard]] screen standard_screen();

/// What a colour stands for; a sign always says the same.
enum class colour : std::uint8_t { none, good, doubtful, bad, faint };

/// `text` in that colour, where there are colours.
[[nodiscard]] std::string painted(std::string_view text, colour paint, const screen& look);

/// Columns that UTF-8 text takes: characters, but for the sequences that change colours. Wide and combining characters
/// count as one.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// `text` in as many columns, its end cut and marked where it is longer, and what would move the cursor replaced by
/// "?".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns, const screen& look = {});

/// Lines no wider than `columns` (but for single words that are), with all after the first set in by `indent`; ends
/// with a newline.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent = 2, std::size_t columns = 80);

}  // namespace freshet::tool
