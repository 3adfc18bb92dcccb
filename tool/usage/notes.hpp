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

/// A line of two columns: a term and its meaning, or a call and what it is for. The second one may be empty.
struct two_columns {
  std::string first;
  std::string second;
};

struct split_notes {
  std::vector<note> paragraphs;
  std::vector<two_columns> examples;
};

/// Splits a line at its first three spaces, or two if it has no three.
[[nodiscard]] two_columns split_columns(std::string_view line);

/// Paragraphs are lines that are not indented; indented ones stay as they are. The indented lines after "Examples:" or
/// "Example:" are the examples; those that are indented further continue the one before.
[[nodiscard]] split_notes split(const std::string& notes);

}  // namespace freshet::tool
