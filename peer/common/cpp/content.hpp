// The content of the two workloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace peer {
inline constexpr std::array<std::string_view, 6> all_names = {
    "Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};

inline constexpr std::string_view all_tabs = "\t\t\t\t\t\t\t";
inline constexpr std::string_view before_name = "All work and no play makes ";
inline constexpr std::string_view after_name = " a dull boy.\n";

inline constexpr std::string_view tabs_of(std::uint64_t line) { return all_tabs.substr(0, line % 8); }
inline constexpr std::string_view name_of(std::uint64_t line) { return all_names[line % 6]; }

// Bytes of a line, its newline included.
inline constexpr std::size_t length_of(std::uint64_t line) {
  return tabs_of(line).size() + before_name.size() + name_of(line).size() + after_name.size();
}

// The workload "bytes" repeats this table.
inline std::vector<char> byte_table() {
  std::vector<char> table(65536);
  std::uint32_t x = 1;
  for (char& entry : table) {
    x = x * 1664525 + 1013904223;
    entry = static_cast<char>(x >> 24);
  }
  return table;
}

}  // namespace peer
