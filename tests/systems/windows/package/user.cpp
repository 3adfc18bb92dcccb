// What a user's first program may look like.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <iostream>
#include <string>

int main() {
  {
    freshet::ofstream out{"numbers.txt"};
    for (int i = 0; i < 100'000; ++i) out << i << '\n';
  }
  freshet::writer copy{"\xe6\x97\xa5\xe6\x9c\xac.txt", {.method = "overlapped", .ordered = false, .atomic = true}};
  freshet::reader in{"numbers.txt", {.method = "direct"}};
  std::string piece(100'000, '\0');
  while (const std::size_t length = in.read(piece)) copy.write(std::string_view{piece}.substr(0, length));
  copy.close();
  freshet::ifstream lines{"numbers.txt"};
  long sum = 0;
  for (long number = 0; lines >> number;) sum += number % 10;
  std::cout << freshet::reader{"\xe6\x97\xa5\xe6\x9c\xac.txt"}.size() << " bytes, sum " << sum << '\n';
}
