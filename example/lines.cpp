#include <freshet/writer.hpp>
#include <string>

int main() {
  freshet::writer out{"lines.txt"};
  for (int line = 1; line <= 1'000'000; ++line) {
    out.write("line " + std::to_string(line));
    out.put('\n');
  }
  out.close();  // throws when anything could not be written
}
