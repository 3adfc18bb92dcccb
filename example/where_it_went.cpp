// where_it_went FILE: writes 64 MiB, and prints which methods moved them and how long the program waited for each.
#include <freshet/statistics.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>
#include <string>

int main(int count, char** words) try {
  freshet::writer out{count > 1 ? words[1] : "lines.txt"};
  const std::string line(63, '=');
  for (int number = 0; number < 1'000'000; ++number) {
    out.write(line);
    out.put('\n');
  }
  out.close();
  std::puts(freshet::describe(out.statistics()).c_str());
} catch (const std::exception& failure) {
  std::fprintf(stderr, "where_it_went: %s\n", failure.what());
  return 1;
}
