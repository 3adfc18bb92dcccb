// The content of the two workloads.
#ifndef CONTENT_H
#define CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct name {
  char text[32];
  size_t length;
};

static const struct name names[6] = {
    {"Jack", 4},           {"Justin Michel", 13},    {"Fred Flintstone", 15},
    {"Barney Rubble", 13}, {"Homer J. Simpson", 16}, {"John Jacob Jingleheimer Schmidt", 31},
};

#define TABS "\t\t\t\t\t\t\t\t"
#define BEFORE_NAME "All work and no play makes "
#define AFTER_NAME " a dull boy.\n"

// Bytes of line `number`, its newline included.
static inline size_t line_length(uint64_t number) {
  return number % 8 + strlen(BEFORE_NAME) + names[number % 6].length + strlen(AFTER_NAME);
}

// Room that put_line() needs: it copies fixed lengths, which a compiler turns into a few moves, and continues at the
// line's true end.
enum { LINE_ROOM = 8 + sizeof BEFORE_NAME + sizeof names[0].text + sizeof AFTER_NAME };

// Forms line `number` at `to` and returns its end.
static inline char* put_line(char* to, uint64_t number) {
  memcpy(to, TABS, 8);
  to += number % 8;
  memcpy(to, BEFORE_NAME, strlen(BEFORE_NAME));
  to += strlen(BEFORE_NAME);
  const struct name* const name = &names[number % 6];
  memcpy(to, name->text, sizeof name->text);
  to += name->length;
  memcpy(to, AFTER_NAME, strlen(AFTER_NAME));
  return to + strlen(AFTER_NAME);
}

// The workload "bytes" repeats this table.
enum { TABLE_LENGTH = 65536 };
static inline void fill_table(unsigned char table[TABLE_LENGTH]) {
  uint32_t x = 1;
  for (size_t i = 0; i < TABLE_LENGTH; ++i) {
    x = x * 1664525 + 1013904223;
    table[i] = (unsigned char)(x >> 24);
  }
}

#endif
