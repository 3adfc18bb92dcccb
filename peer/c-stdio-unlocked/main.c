// stdio without its lock: fwrite_unlocked(), or putc_unlocked() one character at a time.
#define _GNU_SOURCE  // fwrite_unlocked
#include <stdlib.h>

#include "content.h"
#include "peer.h"

// Checks the stream's error for each line and at the end, because the error stays set.
static void write_line_pieces(FILE* file, uint64_t number) {
  const struct name* const name = &names[number % 6];
  fwrite_unlocked(TABS, 1, number % 8, file);
  fwrite_unlocked(BEFORE_NAME, 1, strlen(BEFORE_NAME), file);
  fwrite_unlocked(name->text, 1, name->length, file);
  fwrite_unlocked(AFTER_NAME, 1, strlen(AFTER_NAME), file);
}

static void write_line_characters(FILE* file, uint64_t number) {
  for (uint64_t tab = 0; tab < number % 8; ++tab) putc_unlocked('\t', file);
  for (const char* next = BEFORE_NAME; *next != '\0'; ++next) putc_unlocked(*next, file);
  for (const char* next = names[number % 6].text; *next != '\0'; ++next) putc_unlocked(*next, file);
  for (const char* next = AFTER_NAME; *next != '\0'; ++next) putc_unlocked(*next, file);
}

enum { BY_FWRITE, BY_PUTC };
static const char* const choices[] = {"fwrite", "putc", NULL};

static void write_text(const struct job* job) {
  void (*const write_line)(FILE*, uint64_t) = job->choice == BY_PUTC ? write_line_characters : write_line_pieces;
  char* buffer;
  FILE* const file = open_buffered_stream(job, &buffer);
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    write_line(file, number);
    if (ferror_unlocked(file)) fail("write", job->file);
    written += line_length(number);
  }
  close_stream(job, file, written);
  free(buffer);
}

static void write_bytes(const struct job* job) {
  static unsigned char table[TABLE_LENGTH];
  fill_table(table);
  char* buffer;
  FILE* const file = open_buffered_stream(job, &buffer);
  if (job->choice == BY_PUTC) {
    for (uint64_t i = 0; i < job->size; ++i)
      if (putc_unlocked(table[i % TABLE_LENGTH], file) == EOF) fail("write", job->file);
  } else {
    // The parentheses keep glibc's macro away, which is putc_unlocked() for a single byte.
    for (uint64_t i = 0; i < job->size; ++i)
      if ((fwrite_unlocked)(&table[i % TABLE_LENGTH], 1, 1, file) != 1) fail("write", job->file);
  }
  close_stream(job, file, job->size);
  free(buffer);
}

int main(int count, char** words) {
  const struct peer peer = {
      .buffer = 64 << 10,
      .reserve = true,
      .write_through = true,
      .sequential = true,
      .overwrite = true,
      .option = "by",
      .choices = choices,
      .write_text = write_text,
      .write_bytes = write_bytes,
  };
  return run_peer(count, words, &peer);
}
