// The older C library, which Debian's mingw-w64 links by default, has no functions without locks.
#include "lab/bytes/ways_stdio.hpp"

namespace freshet::tool {

std::vector<byte_way> stdio_ways() {
  return {stdio_writing("fwrite", put_by_fwrite),
          {"fwrite+tune", direction::write, buffer_choice::none, write_with_tuned_stdio},
          stdio_writing("putc", [](char byte, std::FILE* to) { return std::putc(byte, to) != EOF; }),
          {"fwrite-64K", direction::write, buffer_choice::any, write_stdio_blocks, true},
          stdio_reading("fread", get_by_fread),
          {"fread+tune", direction::read, buffer_choice::none, read_with_tuned_stdio},
          stdio_reading("getc", [](std::FILE* from) { return std::getc(from); }),
          {"fread-64K", direction::read, buffer_choice::any, read_stdio_blocks, true}};
}

std::vector<byte_way> unlocked_header_ways() { return {}; }

}  // namespace freshet::tool
