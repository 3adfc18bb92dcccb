// The program that "Creating text files" starts with, except that it asks for its position before each line rather than
// after it, so that the file does not exceed its size.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tool/workload/workload.hpp"

namespace freshet::tool {

/// Writes the text file of at most `size` bytes with a `<<` for each tab and a tellp() for each line, until the stream
/// fails. @throws interrupted
template <typename Stream>
amount write_text_naively(Stream& out, std::uint64_t size) {
  const std::array<std::string, 6> names = {"Jack",          "Justin Michel",    "Fred Flintstone",
                                            "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
  std::uint64_t number = 1;
  for (; out && static_cast<std::uint64_t>(out.tellp()) + text_line_length(number) <= size; ++number) {
    for (std::uint64_t tab = 0; tab < number % 8; ++tab) out << '\t';
    out << "All work and no play makes " << names[number % 6] << " a dull boy." << '\n';
    if (number % 4096 == 0) throw_if_interrupted();
  }
  return {.bytes = static_cast<std::uint64_t>(out.tellp()), .lines = number - 1};
}

}  // namespace freshet::tool
