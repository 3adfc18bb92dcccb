#include "lab/bytes/ways_stdio.hpp"

namespace freshet::tool {
namespace {

constexpr auto get_by_fread_unlocked = [](std::FILE* file) {
  unsigned char byte = 0;
  return fread_unlocked(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
};

}  // namespace

std::vector<byte_way> stdio_ways() {
  return {
      stdio_writing("fwrite", put_by_fwrite),
      {"fwrite+tune", direction::write, buffer_choice::none, write_with_tuned_stdio},
      stdio_writing("fwrite_unlocked", [](char byte, std::FILE* to) { return fwrite_unlocked(&byte, 1, 1, to) == 1; }),
      stdio_writing("putc", [](char byte, std::FILE* to) { return std::putc(byte, to) != EOF; }),
      stdio_writing("putc_unlocked", [](char byte, std::FILE* to) { return putc_unlocked(byte, to) != EOF; }),
      {"fwrite-64K", direction::write, buffer_choice::any, write_stdio_blocks, true},
      stdio_reading("fread", get_by_fread),
      {"fread+tune", direction::read, buffer_choice::none, read_with_tuned_stdio},
      stdio_reading("fread_unlocked", get_by_fread_unlocked),
      stdio_reading("getc", [](std::FILE* from) { return std::getc(from); }),
      stdio_reading("getc_unlocked", [](std::FILE* from) { return getc_unlocked(from); }),
      {"fread-64K", direction::read, buffer_choice::any, read_stdio_blocks, true}};
}

}  // namespace freshet::tool
