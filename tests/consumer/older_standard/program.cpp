// A C++17 program whose files are freshet's.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "files.hpp"

static_assert(__cplusplus < 202002L, "this source shows that C++17 suffices");

int main() {
  const auto out = create_file("older-standard.txt");
  *out << "line " << 1 << '\n';
  if (!close_file(*out)) return 1;
  std::ifstream in{"older-standard.txt"};
  const std::string content{std::istreambuf_iterator<char>{in}, {}};
  std::remove("older-standard.txt");
  return content == "line 1\n" ? 0 : 1;
}
