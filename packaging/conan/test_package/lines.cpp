#include <freshet/stream.hpp>

int main() {
  freshet::ofstream out{"lines.txt"};
  for (int line = 1; line <= 1000; ++line) out << "line " << line << '\n';
  out.close();
  return out ? 0 : 1;
}
