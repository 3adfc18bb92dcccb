// A program of the library's users: writes a file that appears complete and durable, and reads it past the page cache.
#include <cstdio>
#include <exception>

#include <freshet/lines.hpp>
#include <freshet/writer.hpp>

int main() {
  try {
    freshet::writer out{"lines.txt", {.reserve = 1 << 20, .durability = freshet::durability::at_close, .atomic = true}};
    for (int line = 0; line < 1000; ++line) out.write("a line\n");
    out.close();
    int count = 0;
    for ([[maybe_unused]] const auto line : freshet::lines(freshet::reader{"lines.txt", {.method = "direct"}})) ++count;
    return count == 1000 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
