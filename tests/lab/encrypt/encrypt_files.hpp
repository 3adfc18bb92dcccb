// Files that are hard to encrypt, and the content of a directory, for the tests of encrypting.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/encrypt/input_files.hpp"
#include "tests/support/file_content.hpp"

namespace freshet::test {

inline void fill(const std::filesystem::path& path, std::string_view content) {
  std::ofstream{path, std::ios::binary} << content;
}

/// The content of every file in `directory` by its name, without the manifest.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{directory}) {
    if (entry.path().filename() == tool::manifest_name) continue;
    files[entry.path().filename()] = content_of(entry.path());
  }
  return files;
}

/// Whether a writer that was interrupted has left a temporary file in `directory`.
inline bool has_leftovers(const std::filesystem::path& directory) {
  return std::ranges::any_of(std::filesystem::directory_iterator{directory},
                             [](const auto& entry) { return tool::is_leftover(entry.path().filename().native()); });
}

/// Creates files of many kinds: empty, without a last "\n", with "\r\n", of bytes that are not text, with one long
/// line, and `small` small ones.
inline void make_hard_files(const std::filesystem::path& directory, unsigned small) {
  using namespace std::string_view_literals;
  std::filesystem::create_directories(directory);
  fill(directory / "empty", "");
  fill(directory / "one end", "\n");
  fill(directory / "empty lines", "\n\n\n");
  fill(directory / "no last end", "first\nsecond");
  fill(directory / "crlf", "one\r\ntwo\r\n\r\n\r");
  fill(directory / "nul", "\0\0\n\0a\0\n"sv);
  std::string bytes;
  for (unsigned index = 0; index < 200'000; ++index) bytes += static_cast<char>(index * index >> 7);
  fill(directory / "bytes", bytes);
  fill(directory / "long line", std::string(3'000'000, 'x'));
  for (unsigned number = 0; number < small; ++number) {
    std::string text;
    for (unsigned line = 0; line < number % 50; ++line) text += std::to_string(number * line) + " small lines\n";
    fill(directory / ("small " + std::to_string(number)), text);
  }
}

}  // namespace freshet::test
