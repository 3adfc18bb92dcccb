// No buffer: writev() gathers the pieces from where they are.
#define _GNU_SOURCE  // IOV_MAX
#include <errno.h>
#include <limits.h>
#include <sys/uio.h>

#include "content.h"
#include "peer.h"

struct gather {
  const struct job* job;
  int file;
  int count;
  struct iovec pieces[IOV_MAX];
};

static void write_gathered(struct gather* gather) {
  struct iovec* next = gather->pieces;
  struct iovec* const end = next + gather->count;
  while (next < end) {
    ssize_t written = writev(gather->file, next, (int)(end - next));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", gather->job->file);
    }
    for (; next < end && (size_t)written >= next->iov_len; ++next) written -= (ssize_t)next->iov_len;
    if (next < end) {
      next->iov_base = (char*)next->iov_base + written;
      next->iov_len -= (size_t)written;
    }
  }
  gather->count = 0;
}

static void add(struct gather* gather, const char* piece, size_t length) {
  gather->pieces[gather->count++] = (struct iovec){(char*)piece, length};
}

static void write_text(const struct job* job) {
  enum { PIECES_OF_A_LINE = 4 };
  struct gather gather = {.job = job, .file = open_output(job)};
  uint64_t written = 0;
  for (uint64_t number = 1; written + line_length(number) <= job->size; ++number) {
    const struct name* const name = &names[number % 6];
    if (gather.count + PIECES_OF_A_LINE > IOV_MAX) write_gathered(&gather);
    if (number % 8 != 0) add(&gather, TABS, number % 8);
    add(&gather, BEFORE_NAME, strlen(BEFORE_NAME));
    add(&gather, name->text, name->length);
    add(&gather, AFTER_NAME, strlen(AFTER_NAME));
    written += line_length(number);
  }
  write_gathered(&gather);
  close_output(job, gather.file, written);
}

int main(int count, char** words) {
  const struct peer peer = {
      .reserve = true,
      .write_through = true,
      .sequential = true,
      .overwrite = true,
      .write_text = write_text,
  };
  return run_peer(count, words, &peer);
}
