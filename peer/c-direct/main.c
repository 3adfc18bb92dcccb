// Bypasses the page cache with O_DIRECT: a thread writes one block while the program fills the other.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "content.h"
#include "peer.h"

enum { BLOCKS = 2 };

struct output {
  const struct job* job;
  int file;
  char* blocks[BLOCKS];
  size_t lengths[BLOCKS];  // of the filled blocks; the last one is shorter than a buffer
  sem_t empty;
  sem_t full;
  pthread_t thread;
};

static void take(sem_t* semaphore) {
  while (sem_wait(semaphore) != 0) {  // only a signal interrupts it
  }
}

static void* write_blocks(void* argument) {
  struct output* const out = argument;
  for (unsigned i = 0;; i = (i + 1) % BLOCKS) {
    take(&out->full);
    if (out->lengths[i] < out->job->buffer) {
      write_last(out->job, out->file, out->blocks[i], out->lengths[i]);
      return NULL;
    }
    write_all(out->job, out->file, out->blocks[i], out->lengths[i]);
    sem_post(&out->empty);
  }
}

static void start(struct output* out, const struct job* job) {
  out->job = job;
  out->file = open_output(job);
  for (unsigned i = 0; i < BLOCKS; ++i) out->blocks[i] = allocate_aligned(job->buffer + LINE_ROOM, job->file);
  sem_init(&out->empty, 0, BLOCKS - 1);  // the program fills the remaining one
  sem_init(&out->full, 0, 0);
  if ((errno = pthread_create(&out->thread, NULL, write_blocks, out)) != 0) fail("start a thread for", job->file);
}

static void hand_over(struct output* out, unsigned block, size_t length) {
  out->lengths[block] = length;
  sem_post(&out->full);
}

static void finish(struct output* out, uint64_t written) {
  pthread_join(out->thread, NULL);
  // The blocks go with the process, as freshet's do.
  close_output(out->job, out->file, written);
}

static void write_text(const struct job* job) {
  struct output out;
  start(&out, job);
  unsigned block = 0;
  char* next = out.blocks[block];
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    next = put_line(next, number);
    written += line_length(number);
    const char* const end = out.blocks[block] + job->buffer;
    if (next < end) continue;
    // The part of the last line that does not fit begins the next block.
    const size_t excess = (size_t)(next - end);
    hand_over(&out, block, job->buffer);
    take(&out.empty);
    block = (block + 1) % BLOCKS;
    memcpy(out.blocks[block], end, excess);
    next = out.blocks[block] + excess;
  }
  hand_over(&out, block, (size_t)(next - out.blocks[block]));
  finish(&out, written);
}

int main(int count, char** words) {
  const struct peer peer = {
      .buffer = 4 << 20,
      .reserve = true,
      .write_through = true,
      .no_cache = true,
      .direct = true,
      .sequential = true,
      .overwrite = true,
      .write_text = write_text,
  };
  return run_peer(count, words, &peer);
}
