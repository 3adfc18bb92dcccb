#include <freshet/stream.hpp>  // was: #include <fstream>

int main() {
  freshet::ofstream out{"lines.txt"};  // was: std::ofstream out{"lines.txt"};
  for (int line = 1; line <= 1'000'000; ++line) out << "line " << line << '\n';
  out.close();
  return out ? 0 : 1;  // out.last_error() returns the error
}
