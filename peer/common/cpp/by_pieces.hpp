// A stream used for speed: write() with known lengths, and no tellp(). The peers that use it differ only in the type
// of the file.
#pragma once

#include <cstdint>

#include "content.hpp"
#include "peer.hpp"

namespace peer {

// Requirements of the file: its constructor opens it as the job says; it takes texts with write() and bytes with put(),
// is false after a failure, and close() takes the length written.
template <typename File>
void write_text_by_pieces(const job& job) {
  File out{job};
  std::uint64_t written = 0;
  for (std::uint64_t line = 1; out && written + length_of(line) <= job.size; ++line) {
    out.write(tabs_of(line));
    out.write(before_name);
    out.write(name_of(line));
    out.write(after_name);
    written += length_of(line);
  }
  out.close(written);
}

template <typename File>
void write_bytes_by_put(const job& job) {
  const auto table = byte_table();
  File out{job};
  for (std::uint64_t i = 0; out && i < job.size; ++i) out.put(table[i % table.size()]);
  out.close(job.size);
}

}  // namespace peer
