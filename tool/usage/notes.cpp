#include "tool/usage/notes.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view indentation = "  ";

void add_line(std::vector<note>& notes, std::string_view line, bool begins) {
  const bool is_verbatim = line.starts_with(indentation);
  if (is_verbatim) line.remove_prefix(indentation.size());
  if (begins || notes.empty() || notes.back().is_verbatim != is_verbatim)
    notes.push_back({std::string{line}, is_verbatim});
  else
    notes.back().text.append(is_verbatim ? "\n" : " ").append(line);
}

}  // namespace

split_notes split(std::string_view notes) {
  split_notes parts;
  bool is_example = false;
  bool begins = true;
  while (!notes.empty()) {
    const std::size_t end = notes.find('\n');
    const std::string_view line = notes.substr(0, end);
    notes.remove_prefix(end == std::string_view::npos ? notes.size() : end + 1);
    if (line == "Examples:" || line == "Example:") {
      is_example = true;
    } else if (is_example && line.starts_with(indentation)) {
      parts.examples.emplace_back(line.substr(indentation.size()));
    } else {
      is_example = false;
      if (!line.empty()) add_line(parts.paragraphs, line, begins);
    }
    begins = line.empty() || is_example;
  }
  return parts;
}

}  // namespace freshet::tool
