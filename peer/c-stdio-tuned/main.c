// stdio used for speed: a large buffer, fwrite() with known lengths, no ftell().
#include <stdlib.h>

#include "content.h"
#include "peer.h"

static void write_piece(const struct job* job, FILE* file, const char* piece, size_t length) {
  if (fwrite(piece, 1, length, file) != length) fail("write", job->file);
}

static void write_text(const struct job* job) {
  char* buffer;
  FILE* const file = open_buffered_stream(job, &buffer);
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    const struct name* const name = &names[number % 6];
    write_piece(job, file, TABS, number % 8);
    write_piece(job, file, BEFORE_NAME, strlen(BEFORE_NAME));
    write_piece(job, file, name->text, name->length);
    write_piece(job, file, AFTER_NAME, strlen(AFTER_NAME));
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
  for (uint64_t i = 0; i < job->size; ++i)
    if (fwrite(&table[i % TABLE_LENGTH], 1, 1, file) != 1) fail("write", job->file);
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
      .write_text = write_text,
      .write_bytes = write_bytes,
  };
  return run_peer(count, words, &peer);
}
