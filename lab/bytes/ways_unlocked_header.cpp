// fwrite and fread as <freshet/unlocked_stdio.h> defines them.
#include "lab/bytes/ways_stdio.hpp"

#include <freshet/unlocked_stdio.h>

namespace freshet::tool {

std::vector<byte_way> unlocked_header_ways() {
  return {stdio_writing("fwrite+header", [](char byte, std::FILE* to) { return std::fwrite(&byte, 1, 1, to) == 1; }),
          stdio_reading("fread+header", [](std::FILE* from) {
            unsigned char byte = 0;
            return std::fread(&byte, 1, 1, from) == 1 ? int{byte} : EOF;
          })};
}

}  // namespace freshet::tool
