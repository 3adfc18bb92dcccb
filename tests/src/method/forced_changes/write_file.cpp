// Writes 12 MiB to the file that it is given, changing its method after each block: write_file FILE [DURABILITY].
// Prints what went wrong. For injection_test.sh, which makes its system calls fail.
#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include <iostream>
#include <string>
#include <string_view>

#include "src/method/adaptive.hpp"

int main(int count, char** words) try {
  freshet::detail::force_changes = []() noexcept { return true; };
  const std::string_view wanted = count > 2 ? words[2] : "none";
  freshet::writer out{words[1],
                      {.block = std::size_t{64} << 10,
                       .durability = wanted == "at_close" ? freshet::durability::at_close : freshet::durability::none}};
  constexpr int lines = 3 << 18;
  for (int i = 0; i < lines; ++i) {
    out.write("a line of ");
    out.write(std::to_string(1'000'000 + i).substr(1));
  }
  out.close();
  return 0;
} catch (const freshet::error& caught) {
  std::cerr << caught.what() << '\n';
  return 1;
}
