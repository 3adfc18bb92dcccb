// What a program says to each_line(), which needs a library that was not built here; compiled only.
#include <freshet/each_line.hpp>

freshet::each_line_progress copy_lines(std::stop_token stop) {
  freshet::each_line_options options;
  options.stop = stop;
  const auto copy = [](std::string_view line, freshet::line_sink& out) { out.write(line); };
  return freshet::each_line("in.txt", "out.txt", copy, options);
}
