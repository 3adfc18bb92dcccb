// Shared by the tests of freshet::each_line: input files and the expected results.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/each_line.hpp>

#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

inline void fill(const std::filesystem::path& path, std::string_view content) {
  std::ofstream{path, std::ios::binary} << content;
}

/// Returns the names of the files in a directory.
inline std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{directory}) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

/// Writes zero, one or two lines, depending on the line's length.
inline void some_lines(std::string_view line, line_sink& out) {
  for (std::size_t copies = line.size() % 3; copies > 0; --copies) {
    out.put('<');
    out.write(line);
    out.write_line(">");
  }
}

/// Returns the result of some_lines() for every line of `text`, computed with the standard's streams.
inline std::string some_lines_of(const std::string& text) {
  std::istringstream in{text};
  std::string result;
  for (std::string line; std::getline(in, line);) {
    if (!in.eof() && line.ends_with('\r')) line.pop_back();
    for (std::size_t copies = line.size() % 3; copies > 0; --copies) result += "<" + line + ">\n";
  }
  return result;
}

/// Returns `count` lines of different lengths, numbered from 1.
inline std::string numbered_lines(std::size_t count) {
  std::string text;
  for (std::size_t line = 1; line <= count; ++line)
    text += std::to_string(line) + std::string(line * 7 % 50, '.') + '\n';
  return text;
}

/// Provides paths for the files `in` and `out` in a temporary directory.
class each_line_test : public testing::Test {
 protected:
  temporary_directory directory_;
  std::filesystem::path in_ = directory_ / "in";
  std::filesystem::path out_ = directory_ / "out";
};

}  // namespace freshet::test
