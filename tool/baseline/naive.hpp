// Programs that write the text file line by line, as users would.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tool/workload/workload.hpp"

namespace freshet::tool {

/// The program that "Creating text files" starts with: a `<<` for each tab and a tellp() for each line, until the
/// stream fails. It asks for its position before each line rather than after it, so that the file does not exceed
/// `size` bytes.
/// @throws interrupted
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

/// Calls print_line(tabs, name) with the changing parts of each line that fits into `size` bytes. @throws interrupted
template <typename PrintLine>
amount print_text(std::uint64_t size, PrintLine print_line) {
  amount printed;
  for (std::uint64_t number = 1; printed.bytes + text_line_length(number) <= size; ++number) {
    print_line(text_tabs(number), text_name(number));
    printed.bytes += text_line_length(number);
    printed.lines = number;
    if (number % 4096 == 0) throw_if_interrupted();
  }
  return printed;
}

}  // namespace freshet::tool
