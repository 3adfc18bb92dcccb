// Reads whole files and pipes.
#pragma once

#include <unistd.h>

#include <array>
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

/// All that comes from `descriptor`, which is closed.
[[nodiscard]] inline std::string all_from(int descriptor) {
  std::string all;
  std::array<char, 4096> piece;
  for (;;) {
    const auto length = ::read(descriptor, piece.data(), piece.size());
    if (length <= 0) break;
    all.append(piece.data(), static_cast<std::size_t>(length));
  }
  ::close(descriptor);
  return all;
}

}  // namespace freshet::test
