// line_filter FILE WORD: writes the lines of FILE that contain WORD to standard output.
#include <freshet/lines.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>
#include <string_view>

int main(int count, char** words) try {
  if (count != 3) {
    std::fputs("usage: line_filter FILE WORD\n", stderr);
    return 2;
  }
  auto out = freshet::writer::standard_output();
  for (const std::string_view line : freshet::lines(freshet::reader{words[1]})) {
    if (line.find(words[2]) == line.npos) continue;
    out.write(line);
    out.put('\n');
  }
  out.close();  // throws if anything could not be written
} catch (const std::exception& failure) {
  std::fprintf(stderr, "line_filter: %s\n", failure.what());
  return 1;
}
