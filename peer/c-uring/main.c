// Bypasses the page cache with O_DIRECT and io_uring: the kernel writes blocks while the program fills the next one.
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#include "content.h"
#include "peer.h"

enum { APPEND, SIZE_AHEAD };
static const char* const choices[] = {"append", "size-ahead", NULL};

enum { MOST_BLOCKS = 4 };

struct block {
  char* memory;
  uint64_t offset;
  bool in_flight;
};

struct output {
  const struct job* job;
  int file;
  unsigned depth;
  struct io_uring ring;
  struct block blocks[MOST_BLOCKS];
};

static void start(struct output* out, const struct job* job) {
  *out = (struct output){.job = job, .file = open_output(job), .depth = job->choice == SIZE_AHEAD ? MOST_BLOCKS : 2};
  // Writes that extend the file wait for each other; writes within its size do not.
  if (job->choice == SIZE_AHEAD && ftruncate(out->file, (off_t)job->size) != 0) fail("set the size of", job->file);
  const int error = io_uring_queue_init(MOST_BLOCKS, &out->ring, 0);
  if (error != 0) {
    errno = -error;
    fail("set up io_uring for", job->file);
  }
  for (unsigned i = 0; i < out->depth; ++i)
    out->blocks[i].memory = allocate_aligned(job->buffer + LINE_ROOM, job->file);
}

static void check(const struct output* out, int result) {
  if (result >= 0) return;
  errno = -result;
  fail("write", out->job->file);
}

static void submit(struct output* out, struct block* block, uint64_t offset) {
  struct io_uring_sqe* const request = io_uring_get_sqe(&out->ring);
  io_uring_prep_write(request, out->file, block->memory, (unsigned)out->job->buffer, offset);
  io_uring_sqe_set_data(request, block);
  block->offset = offset;
  block->in_flight = true;
  check(out, io_uring_submit(&out->ring));
}

static void await(struct output* out, const struct block* block) {
  while (block->in_flight) {
    struct io_uring_cqe* done;
    const int error = io_uring_wait_cqe(&out->ring, &done);
    if (error == -EINTR) continue;
    check(out, error);
    struct block* const written = io_uring_cqe_get_data(done);
    check(out, done->res);
    written->in_flight = false;
    const size_t length = (size_t)done->res;
    io_uring_cqe_seen(&out->ring, done);
    // A short write means that the disk is nearly full; speed no longer matters.
    if (length < out->job->buffer)
      write_all_at(out->job, out->file, written->memory + length, out->job->buffer - length, written->offset + length);
  }
}

static void finish(struct output* out, const char* from, size_t length, uint64_t written) {
  for (unsigned i = 0; i < out->depth; ++i) await(out, &out->blocks[i]);
  const bool direct = is_direct(out->job, out->file);
  if (lseek(out->file, (off_t)(written - length), SEEK_SET) == -1) fail("seek in", out->job->file);
  write_last(out->job, out->file, from, length);
  report_method(direct ? "uring" : "uring-buffered");
  if (out->job->choice == SIZE_AHEAD && ftruncate(out->file, (off_t)written) != 0) fail("cut", out->job->file);
  // The ring and the blocks go with the process, as freshet's do.
  close_output(out->job, out->file, written);
}

static void write_text(const struct job* job) {
  struct output out;
  start(&out, job);
  unsigned current = 0;
  char* next = out.blocks[current].memory;
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    next = put_line(next, number);
    written += line_length(number);
    struct block* const block = &out.blocks[current];
    const char* const end = block->memory + job->buffer;
    if (next < end) continue;
    // The part of the last line that does not fit begins the next block.
    const size_t excess = (size_t)(next - end);
    submit(&out, block, written - excess - job->buffer);
    current = (current + 1) % out.depth;
    await(&out, &out.blocks[current]);
    memcpy(out.blocks[current].memory, end, excess);
    next = out.blocks[current].memory + excess;
  }
  finish(&out, out.blocks[current].memory, (size_t)(next - out.blocks[current].memory), written);
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
      .option = "order",
      .choices = choices,
      .write_text = write_text,
  };
  return run_peer(count, words, &peer);
}
