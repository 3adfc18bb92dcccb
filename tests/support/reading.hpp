// Shared by the tests of the reader: files of known bytes and the methods that read them.
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

inline const std::vector<std::string_view> reading_methods = [] {
  std::vector<std::string_view> names;
  for (const detail::method_entry& each : detail::method_entries())
    if (each.make_reading != nullptr) names.push_back(each.name);
  return names;
}();

/// Creates a file of the first `length` known bytes.
inline void make_file(const std::filesystem::path& path, std::size_t length) {
  std::ofstream{path, std::ios::binary} << bytes_from(0, length);
}

/// Appends known bytes to an existing file up to `length` bytes.
inline void grow_file(const std::filesystem::path& path, std::size_t length) {
  const auto present = std::filesystem::file_size(path);
  std::ofstream{path, std::ios::binary | std::ios::app} << bytes_from(present, length - present);
}

[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether `bytes` belong at offset `from`.
[[nodiscard]] inline bool belongs_at(std::uint64_t from, std::span<const std::byte> bytes) {
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return first_difference(text, from) == text.size();
}

}  // namespace freshet::test
