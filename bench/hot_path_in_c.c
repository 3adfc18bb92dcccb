// A C program's calls: glibc's header makes putc_unlocked() of fwrite_unlocked() of a single byte, but only in C.
#include "hot_path_in_c.h"

void write_bytes_unlocked_in_c(FILE* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    char byte = (char)i;
    __asm__ volatile("" : "+r"(byte));  // as opaque() in hot_path.cpp
    fwrite_unlocked(&byte, 1, 1, out);
  }
}
