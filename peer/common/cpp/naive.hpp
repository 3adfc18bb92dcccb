// The program as first written: a << for each tab, tellp() to see whether a line still fits. The peers that use it
// differ only in the type of the stream.
#pragma once

#include <cstdint>
#include <string>

#include "content.hpp"
#include "peer.hpp"

namespace peer {

template <typename Stream>
void write_text_naively(Stream& out, std::uint64_t size) {
  const std::string names[] = {"Jack",          "Justin Michel",    "Fred Flintstone",
                               "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
  for (std::uint64_t line = 1; out; line++) {
    const std::string& name = names[line % 6];
    if (static_cast<std::uint64_t>(out.tellp()) + length_of(line) > size) break;
    for (std::uint64_t tab = 0; tab < line % 8; tab++) out << '\t';
    out << "All work and no play makes " << name << " a dull boy." << '\n';
  }
}

template <typename Stream>
void write_bytes_naively(Stream& out, std::uint64_t size) {
  const auto table = byte_table();
  for (std::uint64_t i = 0; i < size && out; i++) out.put(table[i % table.size()]);
}

}  // namespace peer
