// Treats the lines of a file with freshet as a program outside of the project would, and checks what becomes of them.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <freshet/each_line.hpp>
#include <freshet/lines.hpp>
#include <freshet/writer.hpp>

namespace {

constexpr int count = 100'000;

void check(const std::filesystem::path& path) {
  freshet::writer out{path};
  for (int line = 0; line < count; ++line) out.write(std::to_string(line) + '\n');
  out.close();
  freshet::each_line(path, path, [](std::string_view line, freshet::line_sink& to) {
    to.put('<');
    to.write_line(line);
  });
  int next = 0;
  for (const std::string_view line : freshet::lines(freshet::reader{path}))
    if (line != '<' + std::to_string(next++)) throw std::runtime_error{"another line than was written"};
  std::filesystem::remove(path);
  if (next != count) throw std::runtime_error{"lines are missing"};
}

}  // namespace

int main() {
  try {
    check("freshet-each-line-consumer.txt");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
