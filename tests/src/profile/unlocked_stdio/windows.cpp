// Microsoft's half, with that library's functions played by this one's: each call must come to them.
#include <cstdio>

static int calls = 0;
static size_t _fread_nolock(void* into, size_t size, size_t count, FILE* file) {
  return ++calls, std::fread(into, size, count, file);
}
static size_t _fwrite_nolock(const void* from, size_t size, size_t count, FILE* file) {
  return ++calls, std::fwrite(from, size, count, file);
}
static int _fflush_nolock(FILE* file) { return ++calls, std::fflush(file); }
// Macros there, too.
static int get(FILE* file) { return ++calls, std::getc(file); }
static int put(int character, FILE* file) { return ++calls, std::putc(character, file); }
#define _getc_nolock(stream) (get(stream))
#define _putc_nolock(character, stream) (put((character), (stream)))

#include <freshet/detail/unlocked_stdio_windows.h>

#include <cstdio>

#define QUALIFIED std::
#include "calls.h"

int main(int count, char** words) {
  const auto length = static_cast<size_t>(count) + 4;
  if (count != 2) return 1;
  int fault = make(words[1], length, "text\n");
  if (fault == 0 && calls != 5) fault = 20;
  if (fault == 0) fault = differs(words[1], length);
  if (fault == 0 && calls != 5 + 5) fault = 21;
  if (fault == 0) fault = echo();
  // "hi", and the end of it.
  if (fault == 0 && calls != 10 + 5) fault = 22;
  if (std::putchar('!') != '!') fault = 23;
  return fault;
}
