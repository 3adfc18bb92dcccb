// The text that a command's help has below its options, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

struct note {
  std::string text;          ///< a paragraph in one line, or lines
  bool is_verbatim = false;  ///< lines that stay as they are
};

struct split_notes {
  std::vector<note> paragraphs;
  std::vector<std::string> examples;  ///< lines, without their indentation
};

/// Paragraphs are lines that are not indented; indented ones stay as they are. The indented lines after "Examples:" or
/// "Example:" are the examples.
[[nodiscard]] split_notes split(std::string_view notes);

}  // namespace freshet::tool
