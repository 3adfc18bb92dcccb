#include "tool/usage/notes.hpp"

#include <algorithm>
#include <sstream>

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

void add_example(std::vector<two_columns>& examples, std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin == 0 || examples.empty())
    examples.push_back(split_columns(line));
  else
    examples.back().second.append(examples.back().second.empty() ? "" : " ").append(line.substr(begin));
}

}  // namespace

two_columns split_columns(std::string_view line) {
  for (const std::string_view gap : {"   ", "  "})
    if (const std::size_t end = line.find(gap); end != std::string_view::npos)
      return {std::string{line.substr(0, end)}, std::string{line.substr(line.find_first_not_of(' ', end))}};
  return {std::string{line}, {}};
}

split_notes split(const std::string& notes) {
  split_notes parts;
  bool is_example = false;
  bool begins = true;
  std::istringstream in{notes};
  for (std::string line; std::getline(in, line);) {
    if (line == "Examples:" || line == "Example:") {
      is_example = true;
    } else if (is_example && line.starts_with(indentation)) {
      add_example(parts.examples, std::string_view{line}.substr(indentation.size()));
    } else {
      is_example = false;
      if (!line.empty()) add_line(parts.paragraphs, line, begins);
    }
    begins = line.empty() || is_example;
  }
  return parts;
}

}  // namespace freshet::tool
