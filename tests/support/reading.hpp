// What the tests of the reader share: files of known bytes, and the ways to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/writing.hpp"

namespace freshet::test {

inline const std::vector<std::string_view> reading_methods = {"buffered", "direct", "uring", "mmap"};

/// Makes a file of the first `length` bytes that belong there.
inline void make_file(const std::filesystem::path& path, std::size_t length) {
  std::ofstream{path, std::ios::binary} << bytes_from(0, length);
}

/// Lets a file that is there grow to `length` bytes.
inline void grow_file(const std::filesystem::path& path, std::size_t length) {
  const auto present = std::filesystem::file_size(path);
  std::ofstream{path, std::ios::binary | std::ios::app} << bytes_from(present, length - present);
}

[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether `bytes` are what belongs at `from`.
[[nodiscard]] inline bool belongs_at(std::uint64_t from, std::span<const std::byte> bytes) {
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return first_difference(text, from) == text.size();
}

}  // namespace freshet::test
