// The program's own buffer, and write().
#include <stdlib.h>

#include "content.h"
#include "peer.h"

static void write_text(const struct job* job) {
  const int file = open_output(job);
  // Lines are formed in place; the last one may extend beyond the block into spare room.
  char* const buffer = allocate_aligned(job->buffer + LINE_ROOM, job->file);
  char* const end = buffer + job->buffer;
  char* next = buffer;
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    next = put_line(next, number);
    written += line_length(number);
    while (next >= end) {
      write_all(job, file, buffer, job->buffer);
      memmove(buffer, end, (size_t)(next - end));
      next -= job->buffer;
    }
  }
  write_last(job, file, buffer, (size_t)(next - buffer));
  close_output(job, file, written);
  free(buffer);
}

// One system call per byte, which stdio's buffer exists to avoid.
static void write_bytes(const struct job* job) {
  if (job->no_cache) refuse("single bytes cannot pass by the cache");
  static unsigned char table[TABLE_LENGTH];
  fill_table(table);
  const int file = open_output(job);
  for (uint64_t i = 0; i < job->size; ++i) write_all(job, file, &table[i % TABLE_LENGTH], 1);
  close_output(job, file, job->size);
}

int main(int count, char** words) {
  const struct peer peer = {
      .buffer = 64 << 10,
      .reserve = true,
      .write_through = true,
      .no_cache = true,
      .sequential = true,
      .overwrite = true,
      .write_text = write_text,
      .write_bytes = write_bytes,
  };
  return run_peer(count, words, &peer);
}
