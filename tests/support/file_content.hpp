// Reads a whole file.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace freshet::test {

/// The content of the file `path`; empty if it does not exist.
[[nodiscard]] inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary | std::ios::ate};
  std::string content(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
  in.seekg(0);
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  return content;
}

}  // namespace freshet::test
