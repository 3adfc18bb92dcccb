// A program in C++ that has members of the functions' names, and includes <cstdio> before and after the header.
#include <cstdio>

struct before {
  int putc(char a, char b) const { return a + b; }
  static int getc() { return 1; }
};

#include <freshet/unlocked_stdio.h>

#include <cstdio>
#include <string>

#define QUALIFIED std::
#include "address.h"
#include "calls.h"

struct after {
  int putc(char a, char b) const { return a - b; }
  int fwrite = 3;
};

namespace own {
int feof(const std::string& text) { return text.empty() ? 1 : 0; }
}  // namespace own

int main(int count, char** words) {
  const auto length = static_cast<size_t>(count) + 4;
  if (count != 2) return 1;
  int fault = make(words[1], length, "text\n");
  if (fault == 0) fault = differs(words[1], length);
  if (fault == 0) fault = echo();
  if (fault == 0 && write_by_address("!", 1) != 1) fault = 20;
  if (fault == 0 && (std::fwrite)("", 1, static_cast<size_t>(count) - 2, stdout) != 0) fault = 21;
  if (fault == 0 && before{}.putc(1, 2) + before::getc() + after{}.putc(2, 1) + after{}.fwrite != 8) fault = 22;
  if (fault == 0 && own::feof("text") != 0) fault = 23;
  return fault;
}
