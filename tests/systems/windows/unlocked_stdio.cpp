// Calls each function that <freshet/unlocked_stdio.h> is about, with the C library itself.
#include <freshet/unlocked_stdio.h>

#include <cstdio>

#define QUALIFIED std::
#include "tests/src/profile/unlocked_stdio/calls.h"

int main(int count, char** words) {
  const auto length = static_cast<size_t>(count) + 4;
  if (count != 2) return 1;
  int fault = make(words[1], length, "text\n");
  if (fault == 0) fault = differs(words[1], length);
  if (fault == 0) fault = echo();
  if (fault == 0 && std::putchar('!') != '!') fault = 20;
  return fault;
}
