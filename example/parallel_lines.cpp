// parallel_lines IN OUT WORD: writes the lines of IN that contain WORD to OUT, each after its length, using all cores.
// If IN and OUT are both "-", uses standard input and output.
#include <freshet/each_line.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

int main(int count, char** words) try {
  if (count != 4) {
    std::fputs("usage: parallel_lines IN OUT WORD\n", stderr);
    return 2;
  }
  const std::string_view in = words[1];
  const std::string_view out = words[2];
  // All threads call this function at the same time, so it may read shared data but not change it.
  const auto matching = [word = std::string{words[3]}](std::string_view line, freshet::line_sink& to) {
    if (line.find(word) == line.npos) return;
    to.write(std::to_string(line.size()));
    to.put('\t');
    to.write_line(line);
  };
  if (in == "-" && out == "-") {
    auto from = freshet::reader::standard_input();
    auto to = freshet::writer::standard_output();
    freshet::each_line(from, to, matching);
    to.close();  // throws if anything could not be written
  } else {
    freshet::each_line(in, out, matching);
  }
} catch (const std::exception& failure) {
  std::fprintf(stderr, "parallel_lines: %s\n", failure.what());
  return 1;
}
