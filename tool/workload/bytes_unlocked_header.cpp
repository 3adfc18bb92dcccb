// fwrite and fread as <freshet/unlocked_stdio.h> has them.
#include "tool/workload/bytes_stdio.hpp"

#include <freshet/unlocked_stdio.h>

namespace freshet::tool {
namespace {

byte_count write_by_header(const byte_job& job) {
  return write_stdio(job, [](char byte, std::FILE* file) { return std::fwrite(&byte, 1, 1, file) == 1; });
}

byte_count read_by_header(const byte_job& job) {
  return read_stdio(job, [](std::FILE* file) {
    unsigned char byte = 0;
    return std::fread(&byte, 1, 1, file) == 1 ? int{byte} : EOF;
  });
}

}  // namespace

std::vector<byte_way> unlocked_header_ways() {
  return {{"fwrite+header", direction::write, buffer_choice::any, write_by_header},
          {"fread+header", direction::read, buffer_choice::any, read_by_header}};
}

}  // namespace freshet::tool
