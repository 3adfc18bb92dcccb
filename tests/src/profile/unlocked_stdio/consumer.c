/* A program in C that includes the header in the middle of others. */
#include <stdlib.h>

#include <freshet/unlocked_stdio.h>

#include <stdio.h>

#define QUALIFIED
#include "address.h"
#include "calls.h"

struct device {
  int (*putc)(int);
};
static int twice(int character) { return 2 * character; }

int main(int count, char** words) {
  const struct device screen = {twice};
  const size_t length = (size_t)count + 4;
  int fault;
  if (count != 2) return EXIT_FAILURE;
  fault = make(words[1], length, "text\n");
  if (fault == 0) fault = differs(words[1], length);
  if (fault == 0) fault = echo();
  if (fault == 0 && write_by_address("!", 1) != 1) fault = 20;
  if (fault == 0 && (fwrite)("", 1, (size_t)count - 2, stdout) != 0) fault = 21;
  if (fault == 0 && screen.putc(4) != 8) fault = 22;
  return fault;
}
