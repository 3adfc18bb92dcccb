// Bytes that tell where they belong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::test {

/// The eight bytes that belong at 8 * `number`. They differ everywhere, so that bytes in a wrong place are noticed.
[[nodiscard]] inline std::uint64_t word_at(std::uint64_t number) {
  const std::uint64_t mixed = (number + 1) * 0x9E3779B97F4A7C15U;
  return mixed ^ mixed >> 29;
}

/// The bytes that belong at [from, from + length).
[[nodiscard]] inline std::string bytes_from(std::uint64_t from, std::size_t length) {
  // By whole words, because sanitizers check every access.
  std::vector<std::uint64_t> words((from % 8 + length + 7) / 8);
  std::uint64_t number = from / 8;
  for (std::uint64_t& word : words) word = word_at(number++);
  return std::string{reinterpret_cast<const char*>(words.data()), words.size() * 8}.substr(from % 8, length);
}

/// The byte that belongs at `position`.
[[nodiscard]] inline char byte_at(std::uint64_t position) {
  const std::uint64_t word = word_at(position / 8);
  return reinterpret_cast<const char*>(&word)[position % 8];
}

/// Where `bytes`, read from offset `from`, first differ from what belongs there; their number if they do not differ.
[[nodiscard]] inline std::size_t first_difference(std::string_view bytes, std::uint64_t from = 0) {
  const std::string expected = bytes_from(from, bytes.size());
  if (bytes == expected) return bytes.size();
  return static_cast<std::size_t>(std::ranges::mismatch(bytes, expected).in1 - bytes.begin());
}

}  // namespace freshet::test
