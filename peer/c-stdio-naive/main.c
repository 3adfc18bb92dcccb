// The program as first written: a call for each tab, fprintf() for the rest, ftell() to see whether a line still
// fits.
#include <string.h>

#include "content.h"
#include "peer.h"

static void write_text(const struct job* job) {
  FILE* const file = open_stream(job);
  for (unsigned long number = 1; !ferror(file); number++) {
    const char* const name = names[number % 6].text;
    const unsigned long tabs = number % 8;
    const size_t length = tabs + strlen("All work and no play makes ") + strlen(name) + strlen(" a dull boy.\n");
    if ((unsigned long)ftell(file) + length > job->size) break;
    for (unsigned long tab = 0; tab < tabs; tab++) fputc('\t', file);
    fprintf(file, "All work and no play makes %s a dull boy.\n", name);
  }
  if (ferror(file)) fail("write", job->file);
  close_stream(job, file, (uint64_t)ftell(file));
}

static void write_bytes(const struct job* job) {
  static unsigned char table[TABLE_LENGTH];
  fill_table(table);
  FILE* const file = open_stream(job);
  for (uint64_t i = 0; i < job->size; i++)
    if (fwrite(&table[i % TABLE_LENGTH], 1, 1, file) != 1) fail("write", job->file);
  close_stream(job, file, job->size);
}

int main(int count, char** words) {
  const struct peer peer = {
      .reserve = true,
      .write_through = true,
      .sequential = true,
      .overwrite = true,
      .write_text = write_text,
      .write_bytes = write_bytes,
  };
  return run_peer(count, words, &peer);
}
