// scratch_space DIRECTORY: keeps intermediate results in a file that nobody sees and that is gone in any case.
#include <freshet/stream.hpp>

#include <cstdio>
#include <string>

int main(int count, char** words) {
  // In memory up to 64 MiB, then in the directory, without a name.
  freshet::fstream notes{count > 1 ? words[1] : "/var/tmp", std::ios::in | std::ios::out, {.temporary = true}};
  for (int number = 1; number <= 100'000; ++number) notes << number % 97 << '\n';
  notes.seekg(0);
  long long sum = 0;
  for (long long each; notes >> each;) sum += each;
  std::printf("%lld\n", sum);
  return notes.eof() ? 0 : 1;
}
